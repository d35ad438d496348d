// iot-device-client's ExponentialBackoffWithJitter and NoRetry as a port, by their Javadoc. The library counts from 0 (at 0
// stands the immediate first retry, which F(x) does not know: it is turned off), so that the document's x is one more. Its
// draws are its own. Jitter factors cannot be set; deltaBackoff is not documented as C and stays at the default of both, 100.
// A policy is never asked about an error that cannot be retried: the filter stands before it, inside the client.
import com.google.gson.*;
import com.microsoft.azure.sdk.iot.device.transport.*;
import java.io.*;
import java.util.*;

public class Port {
    static final int FOREVER = Integer.MAX_VALUE;  // retries; the document names no limit
    static final String START = """
        {"protocol":1,"port":{"name":"iot-device-client ExponentialBackoffWithJitter","version":"%s","language":"Java"},
         "systems":["azure_java_retry_policy"],"draws":"opaque","max_batch":256,
         "ranges":{"c_ms":["100","100"],"jd":["0.5","0.5"],"ju":["0.25","0.25"],
                   "retry_count":["1","2147483647"],"retryable":["true"]}}""".replace("\n", "");

    static long number(JsonObject params, String name, long otherwise) {
        return params.has(name) ? params.get(name).getAsLong() : otherwise;
    }

    static JsonObject run(JsonObject given) {
        JsonObject params = given.getAsJsonObject("params");
        RetryPolicy policy = params.has("policy") && params.get("policy").getAsString().equals("no_retry") ? new NoRetry()
            : new ExponentialBackoffWithJitter(FOREVER, number(params, "cmin_ms", 100), number(params, "cmax_ms", 10000), 100, false);
        JsonArray answers = new JsonArray();
        for (JsonElement step : given.getAsJsonArray("steps")) {
            JsonObject answer = new JsonObject();
            answers.add(answer);
            try {
                int x = step.getAsJsonObject().get("retry_count").getAsInt();
                RetryDecision decision = policy.getRetryDecision(x - 1, new TransportException("gallery"));
                answer.addProperty("retry", decision.shouldRetry());
                if (decision.shouldRetry()) answer.addProperty("delay_ms", decision.getDuration());
            } catch (RuntimeException error) {
                answer.addProperty("status", "error");
                answer.addProperty("why", error.toString());
                break;
            }
        }
        JsonObject result = new JsonObject();
        result.add("steps", answers);
        return result;
    }

    public static void main(String[] args) throws IOException {
        Properties about = new Properties();
        about.load(NoRetry.class.getResourceAsStream("/META-INF/maven/com.microsoft.azure.sdk.iot/iot-device-client/pom.properties"));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonObject request = JsonParser.parseString(line).getAsJsonObject(), reply = new JsonObject();
            if (request.get("cmd").getAsString().equals("stop")) break;
            JsonArray results = new JsonArray();
            if (request.has("cases")) request.getAsJsonArray("cases").forEach(c -> results.add(run(c.getAsJsonObject())));
            reply.add("id", request.get("id"));
            reply.add("results", results);
            System.out.println(request.has("cases") ? reply : START.formatted(about.getProperty("version")));
        }
    }
}
