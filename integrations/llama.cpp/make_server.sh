#!/usr/bin/env bash
# Builds llama.cpp's server with drafts by request (server-drafts.patch beside this file) as DIR/bin/llama-server, from the
# source that make_env.sh has left in the environment DIR, and with the libraries that it has built there:
#   integrations/llama.cpp/make_server.sh DIR
# It needs cmake, patch and a C++ compiler, and is no part of .ci/run.
set -euo pipefail
patch=$(realpath "$(dirname "$0")/server-drafts.patch")
environment=$(realpath "$1")
built=$("$environment/bin/python" -c 'import llama_cpp, pathlib; print(pathlib.Path(llama_cpp.__file__).parent / "lib")')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$environment"/source/llama_cpp_python-*.tar.gz -C "$work" --strip-components=1
cd "$work/vendor/llama.cpp"
patch -s -p1 --fuzz=0 < "$patch"
# -O1: what takes time when it runs is in the libraries.
cmake -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DBUILD_SHARED_LIBS=OFF -DLLAMA_OPENSSL=OFF \
  -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_USE_PREBUILT_UI=OFF > /dev/null
cd build
make llama-ui-assets > /dev/null
for target in vendor-hash cpp-httplib llama-common-base llama-common llama-ui server-context llama-server-impl; do
  make -j "${JOBS:-$(nproc)}" "$target/fast" > /dev/null  # alone: not what it depends on, which is there
done
c++ -O1 -I../include -I../ggml/include -o "$environment/bin/llama-server" ../tools/server/main.cpp \
  tools/server/libllama-server-impl.a tools/server/libserver-context.a common/libllama-common.a common/libllama-common-base.a \
  vendor/hash/libvendor-hash.a tools/ui/libllama-ui.a vendor/cpp-httplib/libcpp-httplib.a \
  -L"$built" -Wl,-rpath,"$built" -lmtmd -lllama -lggml -lggml-cpu -lggml-base -lpthread -ldl
