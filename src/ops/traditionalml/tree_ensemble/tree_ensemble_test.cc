// Forests: values of ONNX Runtime, which onnx's evaluator agrees with where it looks at the right tree, and small trees
// whose leaves can be found by hand.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace tree_ensemble_test_cc {
namespace {

const Cases given(
    "TreeEnsembles",
    {
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] "
         "target_ids=[0,1,0,0,1,0] target_weights=[1,2,-3,0.5,0.25,4] n_targets=2",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 5 0.25 1 0.25 5 0.25 4 2.25 1 0.25",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleRegressor-3 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] "
         "target_ids=[0,1,0,0,1,0] target_weights=[1,2,-3,0.5,0.25,4] n_targets=2",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 5 0.25 1 0.25 5 0.25 4 2.25 1 0.25",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleRegressor-3 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_GTE,LEAF,BRANCH_EQ,LEAF,LEAF,BRANCH_NEQ,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] nodes_missing_value_tracks_true=[1,0,0,0,0,1,0,0] "
         "target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] target_ids=[0,1,0,0,1,0] "
         "target_weights=[1,2,-3,0.5,0.25,4] n_targets=2",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 5 0.25 1.5 0 -2.5 0 1.5 0 1.5 0",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] "
         "target_ids=[0,1,0,0,1,0] target_weights=[1,2,-3,0.5,0.25,4] n_targets=2 aggregate_function=AVERAGE",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 2.5 0.125 0.5 0.125 2.5 0.125 2 1.125 0.5 0.125",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] "
         "target_ids=[0,1,0,0,1,0] target_weights=[1,2,-3,0.5,0.25,4] n_targets=2 aggregate_function=MIN",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 1 0.25 -3 0.25 1 0.25 4 0.25 -3 0.25",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] "
         "target_ids=[0,1,0,0,1,0] target_weights=[1,2,-3,0.5,0.25,4] n_targets=2 aggregate_function=MAX",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 4 0.25 4 0.25 4 0.25 4 2 4 0.25",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] "
         "target_ids=[0,1,0,0,1,0] target_weights=[1,2,-3,0.5,0.25,4] n_targets=2 base_values=[10,20]",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 15 20.25 11 20.25 15 20.25 14 22.25 11 20.25",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] "
         "target_ids=[0,1,0,0,1,0] target_weights=[1,2,-3,0.5,0.25,4] n_targets=2 post_transform=SOFTMAX",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 0.991422474 0.00857748464 0.679178715 0.320821285 0.991422474 0.00857748464 0.851952732 "
         "0.148047194 0.679178715 0.320821285",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] target_treeids=[0,0,0,1,1,1] target_nodeids=[1,3,4,1,2,2] "
         "target_ids=[0,1,0,0,1,0] target_weights=[1,2,-3,0.5,0.25,4] n_targets=2",
         "double[2,2] 0.500000001 2 0.5 -1",
         "float[2,2] 4 2.25 1.5 0",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,0,1,1] class_nodeids=[1,1,3,4,1,2] "
         "class_ids=[0,1,1,2,0,2] class_weights=[0.25,0.75,1,0.5,0.125,2] classlabels_int64s=[10,20,30]",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "int64[5] 30 30 30 30 30; float[5,3] 0.25 0.75 2 0 0 2.5 0.25 0.75 2 0 1 2 0 0 2.5",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-{1|3} nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,0,1,1] class_nodeids=[1,1,3,4,1,2] "
         "class_ids=[0,1,1,2,0,2] class_weights=[0.25,0.75,1,0.5,0.125,2] classlabels_int64s=[10,20,30]",
         "T1[2,2] 0 5 3 2",
         "int64[2] 30 30; float[2,3] 0.25 0.75 2 0 1 2",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-3 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,0,1,1] class_nodeids=[1,1,3,4,1,2] "
         "class_ids=[0,1,1,2,0,2] class_weights=[0.25,0.75,1,0.5,0.125,2] classlabels_int64s=[10,20,30]",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "int64[5] 30 30 30 30 30; float[5,3] 0.25 0.75 2 0 0 2.5 0.25 0.75 2 0 1 2 0 0 2.5",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_GTE,LEAF,BRANCH_EQ,LEAF,LEAF,BRANCH_NEQ,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] nodes_missing_value_tracks_true=[1,0,0,0,0,1,0,0] "
         "class_treeids=[0,0,0,0,1,1] class_nodeids=[1,1,3,4,1,2] class_ids=[0,1,1,2,0,2] "
         "class_weights=[0.25,0.75,1,0.5,0.125,2] classlabels_strings=[x,y,z] base_values=[0.5,0,0.25]",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "string[5] \"z\" \"x\" \"z\" \"x\" \"x\"; float[5,3] 0.75 0.75 2.25 0.875 0.75 0.25 0.625 0 0.75 0.875 0.75 "
         "0.25 0.875 0.75 0.25",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,0,1,1] class_nodeids=[1,1,3,4,1,2] "
         "class_ids=[0,1,1,2,0,2] class_weights=[0.25,0.75,1,0.5,0.125,2] classlabels_int64s=[10,20,30] "
         "post_transform=SOFTMAX",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "int64[5] 30 30 30 30 30; float[5,3] 0.119000532 0.196198702 0.684800744 0.0705094561 0.0705094561 "
         "0.858981073 0.119000532 0.196198702 0.684800744 0.0900305733 0.244728476 0.665240943 0.0705094561 "
         "0.0705094561 0.858981073",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,0,1,1] class_nodeids=[1,1,3,4,1,2] "
         "class_ids=[0,1,1,2,0,2] class_weights=[0.25,0.75,1,0.5,0.125,2] classlabels_int64s=[10,20,30] "
         "post_transform=LOGISTIC",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "int64[5] 30 30 30 30 30; float[5,3] 0.562176526 0.679178715 0.880797029 0.5 0.5 0.924141824 0.562176526 "
         "0.679178715 0.880797029 0.5 0.731058598 0.880797029 0.5 0.5 0.924141824",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,0,1,1] class_nodeids=[1,1,3,4,1,2] "
         "class_ids=[0,1,1,2,0,2] class_weights=[0.25,0.75,1,0.5,0.125,2] classlabels_int64s=[10,20,30] "
         "post_transform=SOFTMAX_ZERO",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "int64[5] 30 30 30 30 30; float[5,3] 0.119000532 0.196198702 0.684800744 0 0 1 0.119000532 0.196198702 "
         "0.684800744 0 0.268941432 0.731058598 0 0 1",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,1,1] class_nodeids=[1,3,4,1,2] "
         "class_ids=[0,0,0,0,0] class_weights=[0.25,0.75,0.1,0.125,0.3] classlabels_int64s=[10,20]",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "int64[5] 20 10 20 20 10; float[5,2] 0.449999988 0.550000012 0.600000024 0.400000006 0.449999988 0.550000012 "
         "-0.0499999523 1.04999995 0.600000024 0.400000006",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,1,1] class_nodeids=[1,3,4,1,2] "
         "class_ids=[0,0,0,0,0] class_weights=[-0.25,0.75,0.1,0.125,-0.3] classlabels_int64s=[10,20]",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "int64[5] 10 10 10 20 10; float[5,2] 0.550000012 -0.550000012 0.200000018 -0.200000018 0.550000012 "
         "-0.550000012 -0.449999988 0.449999988 0.200000018 -0.200000018",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,1,1] class_nodeids=[1,3,4,1,2] "
         "class_ids=[0,0,0,0,0] class_weights=[-0.25,0.75,0.1,0.125,-0.3] classlabels_strings=[n,p] "
         "post_transform=LOGISTIC",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "string[5] \"n\" \"n\" \"n\" \"p\" \"n\"; float[5,2] 0.634135604 0.365864396 0.549834013 0.450165987 "
         "0.634135604 0.365864396 0.389360726 0.610639274 0.549834013 0.450165987",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1..3 nodes_treeids=[0] nodes_nodeids=[0] nodes_featureids=[0] "
         "nodes_values=[0] nodes_modes=[LEAF] nodes_truenodeids=[0] nodes_falsenodeids=[0] class_treeids=[0] "
         "class_nodeids=[0] class_ids=[{0|1}] class_weights=[-0.25] classlabels_strings=[n,p] "
         "base_values=[{0.5,0.5|0.5}] post_transform=LOGISTIC",
         "float[1,1] 0",
         "string[1] p; float[1,2] 0.437823499 0.562176501",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsembleClassifier-1 nodes_treeids=[0,0,0,0,0,1,1,1] nodes_nodeids=[0,1,2,3,4,0,1,2] "
         "nodes_featureids=[0,0,1,0,0,1,0,0] nodes_values=[0.5,0,1,0,0,-0.5,0,0] "
         "nodes_modes=[BRANCH_LEQ,LEAF,BRANCH_GT,LEAF,LEAF,BRANCH_LT,LEAF,LEAF] nodes_truenodeids=[1,0,3,0,0,1,0,0] "
         "nodes_falsenodeids=[2,0,4,0,0,2,0,0] class_treeids=[0,0,0,1,1] class_nodeids=[1,3,4,1,2] "
         "class_ids=[0,1,0,1,1] class_weights=[1,2,3,4,5] classlabels_int64s=[10,20]",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "int64[5] 20 20 20 20 20; float[5,2] 1 5 3 5 1 5 0 7 3 5",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsemble-5 nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 1 0.25 -3 0.25 1 0.25 0 2.25 -3 0.25",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsemble-5 nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_missing_value_tracks_true=[1,0,1] nodes_modes=(uint8[3] 2 4 5) nodes_splits=(double[3] 0.5 1 -0.5) "
         "leaf_weights=(double[5] 1 2 -3 0.5 0.25)",
         "double[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "double[5,2] 1 0.25 1.5 0 -2.5 0 1.5 0 1.5 0",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsemble-5 nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "aggregate_function=2 nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] "
         "1 2 -3 0.5 0.25)",
         "float[5,2] 0.5 -0.5 0.75 1 0.25 2 nan 3 1 nan",
         "float[5,2] 1 0.25 -3 0.25 1 0.25 0 0.25 -3 0.25",
         {.tolerance = 1e-6}},
        // A set of members for each node of that mode, in the order of the nodes.
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 6 6) nodes_splits=(float[3] 0.5 0 0) leaf_weights=(float[5] 1 2 -3 0.5 0.25) "
         "membership_values=(float[6] 3 1 nan -0.5 3 nan)",
         "float[4,2] 1 3 1 2 1 1 0 -0.5", "float[4,2] 0.5 2 -3 0.25 0 2.25 1.5 0"},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0] nodes_truenodeids=[0] nodes_trueleafs=[1] "
         "nodes_falsenodeids=[1] nodes_falseleafs=[1] leaf_targetids=[0,0] tree_roots=[0] n_targets=1 "
         "nodes_modes=(uint8[1] 6) nodes_splits=(T[1] 0) leaf_weights=(T[2] 1 2) membership_values=({T[2] 3 0|T[3] 3 0 "
         "nan})",
         "T[4,1] 0 3 1 nan", "T[4,1] 1 1 2 2"},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "post_transform=1 nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 "
         "-3 0.5 0.25)",
         "float[1,2] 0.5 0",
         "float[1,2] 0.679178699 0.320821301",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0] nodes_truenodeids=[0] nodes_trueleafs=[1] "
         "nodes_falsenodeids=[1] nodes_falseleafs=[1] leaf_targetids=[0,0] tree_roots=[0] n_targets=1 "
         "nodes_modes=(uint8[1] {0|1|2|3|4|5}) nodes_splits=(float[1] 1) leaf_weights=(float[2] 8 9) "
         "nodes_missing_value_tracks_true=[1]",
         "float[1,1] nan", "float[1,1] 8"},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0] nodes_truenodeids=[0] nodes_trueleafs=[1] "
         "nodes_falsenodeids=[1] nodes_falseleafs=[1] leaf_targetids=[0,0] tree_roots=[0] n_targets=1 "
         "nodes_modes=(uint8[1] 5) nodes_splits=(float[1] 1) leaf_weights=(float[2] 8 9)",
         "float[3,1] nan 1 0", "float[3,1] 9 9 8"},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "float[0,2]", "float[0,2]"},
        // A tree that is one leaf, of both notations.
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0] nodes_truenodeids=[0] nodes_trueleafs=[1] "
         "nodes_falsenodeids=[0] nodes_falseleafs=[1] leaf_targetids=[0] tree_roots=[0,0] n_targets=1 "
         "nodes_modes=(uint8[1] 0) nodes_splits=(T[1] 0) leaf_weights=(T[1] 7)",
         "T[2,1] random", "T[2,1] 14 14"},
        {"ai.onnx.ml.TreeEnsembleRegressor-1..3 nodes_treeids=[4] nodes_nodeids=[9] nodes_featureids=[0] "
         "nodes_values=[0] nodes_modes=[LEAF] nodes_truenodeids=[0] nodes_falsenodeids=[0] target_treeids=[4] "
         "target_nodeids=[9] target_ids=[0] target_weights=[7] n_targets=1",
         "{float|double|int32|int64}[2,3] 1 2 3 4 5 6", "float[2,1] 7 7"},
        // Tensors of doubles beside the lists; a leaf without votes, a target without votes.
        {"ai.onnx.ml.TreeEnsembleRegressor-3 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values_as_tensor=(double[3] 0.1 0 0) nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] "
         "nodes_falsenodeids=[2,0,0] target_treeids=[0] target_nodeids=[1] target_ids=[0] "
         "target_weights_as_tensor=(double[1] 7) base_values_as_tensor=(double[2] 0.5 0.25) n_targets=2 "
         "aggregate_function={MIN|MAX|SUM}",
         "double[2,1] 0.1 0.10000000149011612",
         "float[2,2] 7.5 0.25 0.5 0.25",
         {.down_to = 3}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[0,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets=1",
         "float[1,1] 1",
         "",
         {.error = "cycle"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[{5|-1|min},0,0] "
         "nodes_falsenodeids=[2,0,0] target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] "
         "n_targets=1",
         "float[1,1] 1",
         "",
         {.error = "no node"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[{1|-1|max}] target_weights=[1] n_targets=1",
         "float[1,1] 1",
         "",
         {.error = "votes"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets={0|-1|min}",
         "float[1,1] 1",
         "",
         {.error = "n_targets"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets=max",
         "float[2,1] 1 1",
         "",
         {.error = "too many"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] "
         "nodes_featureids=[{1|max|-1|min},0,0] nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] "
         "nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] target_treeids=[0] target_nodeids=[1] target_ids=[0] "
         "target_weights=[1] n_targets=1",
         "float[1,1] 1",
         "",
         {.error = "*"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,1] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets=1",
         "float[1,1] 1",
         "",
         {.error = "twice"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets=1",
         "float[1,1] 1",
         "",
         {.error = "nodes_values"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_MEMBER,LEAF,LEAF] nodes_truenodeids=[1,0,0] "
         "nodes_falsenodeids=[2,0,0] target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] "
         "n_targets=1",
         "float[1,1] 1",
         "",
         {.error = "BRANCH_MEMBER"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets=1 aggregate_function=sum",
         "float[1,1] 1",
         "",
         {.error = "aggregate_function"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets=1 base_values=[1,2]",
         "float[1,1] 1",
         "",
         {.error = "base_values"}},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets=1 "
         "nodes_missing_value_tracks_true=[1]",
         "float[1,1] 1",
         "",
         {.error = "tracks_true"}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[0,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "float[1,2] 1 1",
         "",
         {.error = "cycle"}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[{5|-1|max|min},1,3] "
         "nodes_trueleafs=[1,1,1] nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] "
         "tree_roots=[0,2] n_targets=2 nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) "
         "leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "float[1,2] 1 1",
         "",
         {.error = "leaf"}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[{3|-1|max|min},2] "
         "n_targets=2 nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 "
         "0.5 0.25)",
         "float[1,2] 1 1",
         "",
         {.error = "node"}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 7 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "float[1,2] 1 1",
         "",
         {.error = "mode"}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 6 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "float[1,2] 1 1",
         "",
         {.error = "membership_values"}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25) "
         "{aggregate_function=4|post_transform=5|aggregate_function=-1}",
         "float[1,2] 1 1",
         "",
         {.error = "must be 0 to"}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "{float[1,1] 1|float[] 1}",
         "",
         {.error = "*"}},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "float16[N,M]", "float16[N,2]"},
        {"ai.onnx.ml.TreeEnsemble nodes_featureids=[0,1,1] nodes_truenodeids=[0,1,3] nodes_trueleafs=[1,1,1] "
         "nodes_falsenodeids=[1,2,4] nodes_falseleafs=[0,1,1] leaf_targetids=[0,1,0,0,1] tree_roots=[0,2] n_targets=2 "
         "nodes_modes=(uint8[3] 0 3 1) nodes_splits=(float[3] 0.5 1 -0.5) leaf_weights=(float[5] 1 2 -3 0.5 0.25)",
         "double", "double"},
        {"ai.onnx.ml.TreeEnsembleRegressor-1 nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
         "nodes_values=[0,0,0] nodes_modes=[BRANCH_LEQ,LEAF,LEAF] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
         "target_treeids=[0] target_nodeids=[1] target_ids=[0] target_weights=[1] n_targets=1",
         "int64[N,1]", "float[N,1]"},
    });

}  // namespace
}  // namespace tree_ensemble_test_cc
}  // namespace norn::ops::cases
