# Images without torch. The gateway: docker build -t docspec-serve .
# The tool: docker build --target tool -t docspec . ; docker run --rm -v "$PWD:/work" -u "$(id -u)" docspec parse a.pdf -o a.md
ARG PYTHON=python:3.11-slim-bookworm
FROM ${PYTHON} AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY docspec docspec
ARG EXTRAS=serve
RUN python3 -m venv /venv \
 && /venv/bin/pip install --no-cache-dir -c constraints.txt ".[${EXTRAS}]"

FROM ${PYTHON} AS run
RUN useradd --create-home --uid 10001 docspec \
 && install -d -o docspec -m 700 /state
COPY --from=build /venv /venv
USER 10001
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1
STOPSIGNAL SIGTERM

FROM run AS tool
WORKDIR /work
ENTRYPOINT ["docspec"]
CMD ["--help"]

FROM run AS gateway
EXPOSE 8080
VOLUME /state
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/health', timeout=4)"]
ENTRYPOINT ["docspec", "serve", "--host", "0.0.0.0", "--port", "8080", "--state", "/state"]
