#!/usr/bin/env bash
# Builds llama.cpp's server with drafts by request (server-drafts.patch beside this file), from the source that make_env.sh
# has left in the environment DIR, as DIR/bin/llama-server:
#   integrations/llama.cpp/make_server.sh DIR
# It needs cmake and a C++ compiler, and takes about ten minutes on two cores: no part of .ci/run.
set -euo pipefail
patch=$(realpath "$(dirname "$0")/server-drafts.patch")
environment=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$environment"/source/llama_cpp_python-*.tar.gz -C "$work" --strip-components=1
cd "$work/vendor/llama.cpp"
patch -p1 --fuzz=0 < "$patch"
cmake -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=ON -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF \
  -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_USE_PREBUILT_UI=OFF ${CMAKE_ARGS:-} > /dev/null
cmake --build build --target llama-server -j "$(nproc)" > /dev/null
cp build/bin/llama-server "$environment/bin/llama-server"
