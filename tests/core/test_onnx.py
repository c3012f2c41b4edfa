"""Sessions of ONNX Runtime: as many threads as are asked for, none of which spins, and other libraries' ones too."""

from __future__ import annotations

from pathlib import Path

import pytest

from docspec.core.libraries import session, session_threads

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
