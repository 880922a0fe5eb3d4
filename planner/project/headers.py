"""One Content-Security-Policy for every page, the admin included, and what holds for any answer to a share link."""

from planner.views.paper import SEALED

# The hash is of the empty string: plotly makes an empty <style> and fills it by script; without the hash, titles and
# legends vanish.
POLICY = (
    "default-src 'none'; script-src 'self'; "
    "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


class ContentSecurityPolicy:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if request.path_info.startswith("/r/"):  # errors too: their style sheet is fetched without a referrer
            for name, value in SEALED.items():
                response.headers[name] = value
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Referrer-Policy", "same-origin")
        response.headers.setdefault("X-Frame-Options", "DENY")
        return response
