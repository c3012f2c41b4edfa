# The gateway (docspec serve) without torch: docker build -t docspec-serve .
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY docspec docspec
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir -c constraints.txt '.[serve]'

FROM python:3.11-slim-bookworm
RUN useradd --create-home --uid 10001 docspec \
 && install -d -o docspec -m 700 /state
COPY --from=build /venv /venv
USER 10001
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1
EXPOSE 8080
VOLUME /state
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/health', timeout=4)"]
ENTRYPOINT ["docspec", "serve", "--host", "0.0.0.0", "--port", "8080", "--state", "/state"]
