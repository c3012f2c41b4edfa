#!/usr/bin/env bash
# Makes an environment DIR with llama-cpp-python, built from its source for this processor, and keeps that source in it
# (llama.cpp's converter is in there, and nowhere else):
#   integrations/llama.cpp/make_env.sh DIR
# It takes four minutes on two cores, cmake and a C++ compiler. With a GPU: CMAKE_ARGS as llama-cpp-python's own
# documentation says.
set -euo pipefail
version=0.3.36
python3 -m venv "$1"
export CMAKE_ARGS=${CMAKE_ARGS:--DGGML_NATIVE=ON}
"$1/bin/pip" install -q "llama-cpp-python==$version"
"$1/bin/pip" download -q --no-deps --no-binary llama-cpp-python -d "$1/source" "llama-cpp-python==$version"
"$1/bin/python" -c 'import llama_cpp; print("llama-cpp-python", llama_cpp.__version__)'
