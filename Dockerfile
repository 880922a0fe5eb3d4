FROM python:3.12-slim

ENV OUTLAY_BOOTSTRAP=0 OUTLAY_PRODUCTION=1 OUTLAY_DATA=/data OUTLAY_STATIC=/app/staticfiles PYTHONUNBUFFERED=1
WORKDIR /app
COPY pyproject.toml constraints.txt ./
# The list of requirements alone, so that a change of the code does not install them anew.
RUN python -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
    print('\n'.join([*p['dependencies'], *p['optional-dependencies']['prod']]))" > /tmp/requirements.txt \
    && pip install --no-cache-dir -r /tmp/requirements.txt -c constraints.txt
COPY . .
RUN useradd --system --create-home outlay && mkdir /data && chown outlay /data \
    && OUTLAY_SECRET_KEY=unused-while-building python manage.py messages --compile \
    && OUTLAY_SECRET_KEY=unused-while-building python manage.py collectstatic --noinput
USER outlay
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "planner.project.wsgi:application", "--bind=0.0.0.0:8000", "--worker-class=gthread", "--workers=2", "--threads=8"]
