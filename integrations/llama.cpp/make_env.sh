#!/usr/bin/env bash
# Makes an environment DIR with llama-cpp-python, built from its source for this processor. The source stays in DIR/source,
# since llama.cpp's converter is in there and nowhere else:
#   integrations/llama.cpp/make_env.sh DIR
# It takes minutes, cmake and a C++ compiler. With a GPU: CMAKE_ARGS as llama-cpp-python's own documentation says.
set -euo pipefail
version=0.3.36
python3 -m venv "$1"
"$1/bin/pip" download -q --no-deps --no-binary llama-cpp-python -d "$1/source" "llama-cpp-python==$version"
export CMAKE_ARGS="${CMAKE_ARGS:--DGGML_NATIVE=ON}"
"$1/bin/pip" install -q "$1"/source/llama_cpp_python-*.tar.gz
"$1/bin/python" -c 'import llama_cpp; print("llama-cpp-python", llama_cpp.__version__)'
