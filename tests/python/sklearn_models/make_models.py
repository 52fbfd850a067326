#!/usr/bin/env python3
"""Makes the models of this folder and cases.json, what they are fed and what scikit-learn answers.

Needs scikit-learn, skl2onnx and pandas; made with 1.9, 1.20 and 3.1. The tests need none of them.
"""

import json
import pathlib
import warnings

import numpy as np
import pandas
import skl2onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (AdaBoostClassifier, GradientBoostingClassifier, GradientBoostingRegressor,
                              RandomForestClassifier)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, OneClassSVM
from sklearn.tree import DecisionTreeRegressor

HERE = pathlib.Path(__file__).parent
rng = np.random.default_rng(0)
X = rng.standard_normal((40, 4)).astype(np.float32)
NUMBER = (X[:, 0] * 2 - X[:, 1]**2).astype(np.float64)
CLASS = np.digitize(NUMBER, np.quantile(NUMBER, [0.33, 0.66]))
WORDS = np.array(["ant", "bee", "cow"])[CLASS]
HOLES = np.where(rng.random(X.shape) < 0.2, np.nan, X).astype(np.float32)
CATEGORIES = np.array([[rng.choice(["a", "b", "ç"]), rng.choice(["x", "y"])] for _ in X], object)
TEXT = np.array([
    "The cat sat on the mat", "a dog barks", "Cats AND dogs!", "over the lazy dog", "hello world 123",
    "one two two three three three", "", "is it, or not?"
] * 2, object)
TABLE = pandas.DataFrame(
    {"number": X[:, 0], "holes": HOLES[:, 1], "letter": CATEGORIES[:, 0], "side": CATEGORIES[:, 1]})
COLUMNS = ColumnTransformer([("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["number", "holes"]),
                             ("letters", OneHotEncoder(handle_unknown="ignore"), ["letter", "side"])])
TABLE_TYPES = [(n, (FloatTensorType if n in ("number", "holes") else StringTensorType)([None, 1]))
               for n in TABLE.columns]
STRINGS = [("text", StringTensorType([None]))]
PAIRS = [("pairs", StringTensorType([None, 2]))]
FLAT = {"zipmap": False}

# name: estimator, inputs, targets, types of inputs, options, what to ask of scikit-learn
MODELS = {
    "logistic_words": (LogisticRegression(), X, WORDS, None, None, ["predict", "predict_proba"]),
    "logistic_columns": (LogisticRegression(), X, CLASS, None, {"zipmap": "columns"}, ["predict"]),
    "forest": (RandomForestClassifier(4, max_depth=3,
                                      random_state=0), X, CLASS, None, FLAT, ["predict", "predict_proba"]),
    "forest_words": (RandomForestClassifier(3, max_depth=3,
                                            random_state=0), X, WORDS, None, FLAT, ["predict", "predict_proba"]),
    "boosted": (GradientBoostingClassifier(n_estimators=3,
                                           random_state=0), X, CLASS, None, FLAT, ["predict", "predict_proba"]),
    "boosted_numbers": (GradientBoostingRegressor(n_estimators=4, random_state=0), X, NUMBER, None, None, ["predict"]),
    "ada": (AdaBoostClassifier(n_estimators=3, random_state=0), X, CLASS, None, FLAT,
            ["predict"]), "tree_of_two_targets": (DecisionTreeRegressor(max_depth=3), X, np.stack([NUMBER, -NUMBER],
                                                                                                  1), None, None,
                                                  ["predict"]), "svm": (SVC(), X, CLASS, None, FLAT, ["predict"]),
    "svm_poly_of_two": (SVC(kernel="poly"), X, CLASS == 0, None, FLAT,
                        ["predict"]), "svm_nu_sigmoid": (NuSVC(nu=0.2,
                                                               kernel="sigmoid"), X, WORDS, None, FLAT, ["predict"]),
    "svm_probabilities": (SVC(probability=True, random_state=0), X, CLASS, None, FLAT, ["predict", "predict_proba"]),
    "svm_numbers": (SVR(kernel="linear"), X, NUMBER, None, None,
                    ["predict"]), "svm_one_class": (OneClassSVM(), X, None, None, None, ["predict"]),
    "neighbours": (KNeighborsClassifier(3), X, WORDS, None, FLAT,
                   ["predict", "predict_proba"]), "neighbours_numbers": (KNeighborsRegressor(2, metric="manhattan"), X,
                                                                         NUMBER, None, None, ["predict"]),
    "neighbours_cdist": (KNeighborsRegressor(2), X, NUMBER, None, {"optim": "cdist"},
                         ["predict"]), "neighbours_radius": (RadiusNeighborsClassifier(9.0), X, CLASS == 0, None, FLAT,
                                                             ["predict", "predict_proba"]),
    "gaussian_process": (GaussianProcessRegressor(RBF(2.0), alpha=0.1), X, NUMBER, None, None,
                         ["predict"]), "naive_bayes": (GaussianNB(), X, CLASS, None, FLAT, ["predict",
                                                                                            "predict_proba"]),
    "mixture": (GaussianMixture(2, covariance_type="diag",
                                random_state=0), X, None, None, None, ["predict"]), "perceptron": (MLPClassifier(
                                    (5, ), max_iter=80,
                                    random_state=0), X, CLASS, None, FLAT, ["predict", "predict_proba"]),
    "impute": (SimpleImputer(strategy="median"), HOLES, None, None,
               None, ["transform"]), "impute_neighbours": (KNNImputer(n_neighbors=2), HOLES, None, None, None, [
                   "transform"
               ]), "bins": (KBinsDiscretizer(3, encode="onehot-dense"), X, None, None, None,
                            ["transform"]), "polynomials": (PolynomialFeatures(2), X, None, None, None, ["transform"]),
    "one_hot": (OneHotEncoder(sparse_output=False, handle_unknown="ignore"), CATEGORIES, None, PAIRS, None,
                ["transform"]), "ordinal": (OrdinalEncoder(), CATEGORIES, None, PAIRS, None, ["transform"]),
    "counts": (CountVectorizer(ngram_range=(1, 2)), TEXT, None, STRINGS, None,
               ["transform"]), "counts_of_characters": (CountVectorizer(analyzer="char"), TEXT, None, STRINGS, None, [
                   "transform"
               ]), "counts_with_stop_words": (CountVectorizer(stop_words=["the", "a", "on"]), TEXT, None, STRINGS, None,
                                              ["transform"]), "tf_idf": (TfidfVectorizer(), TEXT, None, STRINGS, None,
                                                                         ["transform"]),
    "tf_idf_by_expression": (TfidfVectorizer(token_pattern="[a-z]+", norm="l1"), TEXT, None, STRINGS, None,
                             ["transform"
                              ]), "text_classes": (make_pipeline(TfidfVectorizer(), LogisticRegression()), TEXT,
                                                   np.arange(len(TEXT)) % 3, STRINGS, FLAT,
                                                   ["predict", "predict_proba"
                                                    ]), "table": (make_pipeline(COLUMNS,
                                                                                LogisticRegression()), TABLE, WORDS,
                                                                  TABLE_TYPES, FLAT, ["predict", "predict_proba"]),
}


def plain(array):
    if hasattr(array, "toarray"):
        array = array.toarray()
    array = np.asarray(array)
    if array.dtype == object:
        return {"type": "str", "shape": array.shape, "data": array.reshape(-1).tolist()}
    kind = "str" if array.dtype.kind == "U" else array.dtype.name
    data = array.reshape(-1).tolist()
    return {
        "type": kind, "shape": array.shape, "data": [None if isinstance(v, float) and np.isnan(v) else v for v in data]
    }


def main():
    warnings.filterwarnings("ignore")
    cases = {}
    for name, (estimator, inputs, targets, types, options, asked) in MODELS.items():
        estimator.fit(inputs, targets)
        options = {id(estimator): options} if options else None
        types = types or [("x", FloatTensorType([None, inputs.shape[1]]))]
        made = skl2onnx.convert_sklearn(estimator, name, initial_types=types, options=options)
        (HERE / f"{name}.onnx").write_bytes(made.SerializeToString())
        few = inputs[:8]
        if isinstance(few, pandas.DataFrame):
            feeds = {
                c: few[[c]].to_numpy().astype(np.float32 if c in ("number", "holes") else object) for c in few.columns
            }
        else:
            feeds = {types[0][0]: few}
        cases[name] = {
            "feeds": {n: plain(a) for n, a in feeds.items()},
            "outputs": [plain(getattr(estimator, ask)(few)) for ask in asked]
        }
    (HERE / "cases.json").write_text(
        json.dumps(cases, ensure_ascii=False, indent=None, separators=(",", ":")).replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    main()
