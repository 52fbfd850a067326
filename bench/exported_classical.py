"""Recipes of exported_models.py: scikit-learn's pipelines, converted by skl2onnx, fitted to made-up tables.

Each has a feed of one row and one of a hundred.
"""

import numpy as np
from exported_common import save_feed

ROWS, COLUMNS, CLASSES = 600, 20, 4


def table(rows, seed):
    """Numbers, and a class that depends on some of them."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, COLUMNS)).astype(np.float32)
    score = x[:, :CLASSES] * 2 + np.sin(3 * x[:, CLASSES : 2 * CLASSES]) + rng.standard_normal((rows, CLASSES)) * 0.3
    return x, score.argmax(1), score.max(1)


def fitted(make, regression=False, opset=18):
    """A recipe of an estimator of numbers only."""

    def recipe(path):
        from skl2onnx import to_onnx

        x, classes, values = table(ROWS, 0)
        estimator = make().fit(x, values if regression else classes)
        options = None if regression else {id(estimator): {"zipmap": False}}
        model = to_onnx(estimator, x[:1], options=options, target_opset={"": opset, "ai.onnx.ml": 3})
        path.write_bytes(model.SerializeToString())
        for rows in (1, 100):
            save_feed(path, {"X": table(rows, 1)[0]}, f"rows{rows}")

    return recipe


def columns(path):
    """Numbers are imputed and scaled, codes spread by one-hot encoding, and a logistic regression decides."""
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    def inputs(rows, seed):
        x, classes, _ = table(rows, seed)
        rng = np.random.default_rng(seed)
        x[rng.random(x.shape) < 0.05] = np.nan
        codes = rng.integers(0, 12, (rows, 3))
        return np.concatenate([x, codes], 1), classes

    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    codes = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    places = list(range(COLUMNS)), list(range(COLUMNS, COLUMNS + 3))
    chosen = ColumnTransformer([("numbers", numbers, places[0]), ("codes", codes, places[1])])
    pipeline = make_pipeline(chosen, LogisticRegression(max_iter=500)).fit(*inputs(ROWS, 0))
    types = [("numbers", FloatTensorType([None, COLUMNS])), ("codes", Int64TensorType([None, 3]))]
    options = {id(pipeline): {"zipmap": False}}
    model = to_onnx(pipeline, initial_types=types, options=options, target_opset={"": 17, "ai.onnx.ml": 3})
    path.write_bytes(model.SerializeToString())
    for rows in (1, 100):
        x = inputs(rows, 1)[0]
        feed = {"numbers": x[:, :COLUMNS].astype(np.float32), "codes": x[:, COLUMNS:].astype(np.int64)}
        save_feed(path, feed, f"rows{rows}")


def gradient_boosting():
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=60, random_state=0)


def extra_trees():
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(n_estimators=60, max_depth=8, random_state=0)


def random_forest():
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, random_state=0)


def scaled(estimator):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), estimator)


def svc():
    from sklearn.svm import SVC

    return scaled(SVC(probability=True, random_state=0))


def neighbours():
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(5)


def bayes():
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def perceptron():
    from sklearn.neural_network import MLPClassifier

    return scaled(MLPClassifier((64, 64), max_iter=200, random_state=0))


MODELS = {
    "gradient_boosting": fitted(gradient_boosting),
    "extra_trees": fitted(extra_trees, regression=True),
    "random_forest": fitted(random_forest, opset=13),
    "svc": fitted(svc, opset=15),
    "logistic_columns": columns,
    "nearest_neighbours": fitted(neighbours, opset=14),
    "naive_bayes": fitted(bayes, opset=16),
    "perceptron": fitted(perceptron, opset=20),
}
