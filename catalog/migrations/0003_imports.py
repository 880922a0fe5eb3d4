
import catalog.models.imports
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0002_quote_breaks'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SupplierMapping',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('supplier', models.CharField(max_length=200, unique=True, verbose_name='supplier')),
                ('mapping', models.JSONField(default=dict)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.AddField(
            model_name='importbatch',
            name='options',
            field=models.JSONField(blank=True, default=dict, verbose_name='options'),
        ),
        migrations.CreateModel(
            name='Change',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('field', models.CharField(max_length=60)),
                ('old', models.TextField(blank=True)),
                ('new', models.TextField(blank=True)),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='catalog.importbatch')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='catalog.item')),
                ('quote', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='catalog.quote')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='ImportJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=catalog.models.imports.new_token, editable=False, max_length=32, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('state', models.CharField(choices=[('details', 'Details'), ('queued', 'Queued'), ('running', 'Running'), ('ready', 'Ready'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='details', max_length=10)),
                ('step', models.CharField(choices=[('check', 'Check'), ('save', 'Save')], default='check', max_length=6)),
                ('sheet', models.JSONField(default=dict)),
                ('options', models.JSONField(default=dict)),
                ('preview', models.JSONField(null=True)),
                ('failure', models.JSONField(null=True)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('rung_at', models.DateTimeField(null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(default=0)),
                ('batch', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='job', to='catalog.importbatch')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=catalog.models.imports.new_token, editable=False, max_length=32, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('content', models.BinaryField()),
                ('size', models.PositiveIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='catalog.importjob')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
    ]
