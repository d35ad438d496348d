import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** A GET in a Retry of resilience4j: a fixed interval of 600 ms, and at most four attempts. */
class Program {
    public static void main(String[] words) throws Throwable {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(URI.create(words[0])).version(HttpClient.Version.HTTP_1_1).build();
        RetryConfig config = RetryConfig.<Integer>custom().maxAttempts(4).intervalFunction(IntervalFunction.of(600))
            .retryOnResult(status -> status == 503).build();
        int status = Retry.of("watched", config).executeCheckedSupplier(() -> client.send(request, BodyHandlers.discarding()).statusCode());
        System.exit(status == 503 ? 1 : 0);
    }
}
