FROM python:3.12-slim

ENV OUTLAY_BOOTSTRAP=0 OUTLAY_PRODUCTION=1 OUTLAY_DATA=/data OUTLAY_STATIC=/app/staticfiles PYTHONUNBUFFERED=1
WORKDIR /app
COPY pyproject.toml constraints.txt ./
# The list of requirements alone, so that a change of the code does not install them anew.
RUN python -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
    print('\n'.join([*p['dependencies'], *p['optional-dependencies']['prod']]))" > /tmp/requirements.txt \
    && pip install --no-cache-dir -r /tmp/requirements.txt -c constraints.txt
COPY . .
# With a key for these commands only: one that is kept would be in the image, the same for everybody.
RUN useradd --system --create-home outlay && mkdir -m 700 /data && chown outlay /data \
    && export OUTLAY_SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(50))')" \
    && python manage.py messages --compile \
    && python manage.py collectstatic --noinput
USER outlay
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "planner.project.wsgi:application", "--bind=0.0.0.0:8000", "--worker-class=gthread", "--workers=2", "--threads=8"]
