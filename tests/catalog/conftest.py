import pytest


@pytest.fixture
def reader(client, django_user_model):
    """A client of somebody signed in, with no rights of their own."""
    client.force_login(django_user_model.objects.create_user("reader", password="x"))
    return client


@pytest.fixture
def steward(client, django_user_model):
    """A client of somebody who may use the admin."""
    client.force_login(django_user_model.objects.create_superuser("steward", password="x"))
    return client


@pytest.fixture
def facts(db):
    """The shipped catalog, loaded."""
    from catalog import services
    from catalog.importers.shipped import shipped

    services.load(shipped())
