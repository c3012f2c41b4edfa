#!/usr/bin/env bash
# Makes an environment DIR with llama-cpp-python and, beside it in bin/, llama.cpp's server that takes drafts with a request
# (server-drafts.patch), both built from llama-cpp-python's source for this processor. The source stays in DIR/source, since
# llama.cpp's converter is in there and nowhere else:
#   integrations/llama.cpp/make_env.sh DIR
# It takes seven minutes on two cores, patch, cmake and a C++ compiler. With a GPU: CMAKE_ARGS as llama-cpp-python's own
# documentation says.
set -euo pipefail
version=0.3.36
patch=$(realpath "$(dirname "$0")/server-drafts.patch")
python3 -m venv "$1"
"$1/bin/pip" download -q --no-deps --no-binary llama-cpp-python -d "$1/source" "llama-cpp-python==$version"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$1"/source/llama_cpp_python-*.tar.gz -C "$work" --strip-components=1
patch -s -p1 --fuzz=0 -d "$work/vendor/llama.cpp" <"$patch"
# llama-cpp-python builds the libraries only. The server is one more target of the same build and is installed beside them.
printf 'add_subdirectory(tools/%s)\n' ui server >>"$work/vendor/llama.cpp/CMakeLists.txt"
printf 'llama_cpp_python_install_target(%s)\n' llama-common llama-server-impl llama-server >>"$work/CMakeLists.txt"
export CMAKE_ARGS="${CMAKE_ARGS:--DGGML_NATIVE=ON} -DLLAMA_OPENSSL=OFF -DLLAMA_USE_PREBUILT_UI=OFF"
"$1/bin/pip" install -q "$work"
libraries=$("$1/bin/python" -c 'import llama_cpp, pathlib; print(pathlib.Path(llama_cpp.__file__).parent / "lib")')
ln -s "$libraries/llama-server" "$1/bin/llama-server"
"$1/bin/llama-server" --help | grep -q -- "given"
"$1/bin/python" -c 'import llama_cpp; print("llama-cpp-python", llama_cpp.__version__)'
