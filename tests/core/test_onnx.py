"""Sessions of ONNX Runtime: as many threads as are asked for, none of which spins, and other libraries' ones too."""

from __future__ import annotations

from pathlib import Path

import pytest

from docspec.core import onnx_graph
from docspec.core.libraries import session, session_threads
from docspec.core.onnx_graph import without_denormals

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
SPINNING = "session.intra_op.allow_spinning"
TASKS = Path("/proc/self/task")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from onnx import TensorProto, helper

    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "negative", value[:1], value[1:])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path = tmp_path_factory.mktemp("onnx") / "negative.onnx"
    onnx.save(made, path)
    return path


def test_a_session_has_the_threads_that_were_asked_for(model: Path) -> None:
    settings = session(model, 3).get_session_options()
    assert settings.intra_op_num_threads == 3 and settings.get_session_config_entry(SPINNING) == "0"


@pytest.mark.skipif(not TASKS.is_dir(), reason="this system does not list threads")
def test_sessions_of_libraries_start_no_threads_within_and_are_as_ever_afterwards(model: Path) -> None:
    usual = onnxruntime.SessionOptions
    before = {task.name for task in TASKS.iterdir()}
    with session_threads(1):
        made = onnxruntime.InferenceSession(
            str(model), onnxruntime.SessionOptions(), providers=["CPUExecutionProvider"]
        )
    assert {task.name for task in TASKS.iterdir()} <= before
    assert made.get_session_options().get_session_config_entry(SPINNING) == "0"
    with pytest.raises(ImportError), session_threads(1):
        raise ImportError("no such library")
    assert onnxruntime.SessionOptions is usual


def test_weights_too_small_to_count_are_0_and_all_others_are_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    monkeypatch.setattr(onnx_graph, "MANY", 1)
    weights = np.array([[1.0, -1e-39, 1e-31, -2.0], [3e-45, 1e-29, 0.0, -0.5]], np.float32)
    epsilon = np.array([1e-39], np.float32)
    value = [helper.make_tensor_value_info(*one) for one in (("x", 1, [3, 2]), ("y", 1, [3, 4]))]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["z"]), helper.make_node("Add", ["z", "e"], ["y"])]
    as_floats = helper.make_tensor("w", TensorProto.FLOAT, weights.shape, weights.ravel().tolist())
    for stored in (numpy_helper.from_array(weights, "w"), as_floats):
        tensors = [stored, numpy_helper.from_array(epsilon, "e")]
        graph = helper.make_graph(nodes, "product", value[:1], value[1:], tensors)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        changed = without_denormals(made.SerializeToString())
        assert changed is not None and without_denormals(changed) is None
        found = {one.name: numpy_helper.to_array(one) for one in onnx.load_from_string(changed).graph.initializer}
        expected = np.where(np.abs(weights) < 1e-30, 0, weights)
        assert np.array_equal(found["w"], expected) and np.array_equal(found["e"], epsilon)
        path = tmp_path / "product.onnx"
        onnx.save(made, path)
        given = np.eye(3, 2, dtype=np.float32)
        assert np.array_equal(session(path, 1).run(None, {"x": given})[0], given @ expected + epsilon)


def test_a_model_without_small_weights_is_left_as_it_is(model: Path) -> None:
    assert without_denormals(model.read_bytes()) is None


def test_what_is_no_model_is_refused_by_onnx_runtime(tmp_path: Path) -> None:
    (tmp_path / "no.onnx").write_bytes(b"no model")
    with pytest.raises(Exception, match=r"no\.onnx"):
        session(tmp_path / "no.onnx", 1)
    with pytest.raises(Exception, match=r"missing\.onnx.*doesn't exist"):
        session(tmp_path / "missing.onnx", 1)
