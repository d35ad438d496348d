// iot-device-client's ExponentialBackoffWithJitter and NoRetry as a port, by their Javadoc. The library counts from 0 (at 0
// stands the immediate first retry, which F(x) does not know: it is turned off), so that the document's x is one more. Its
// draws are its own. Jitter factors cannot be set; deltaBackoff is not documented as C and stays at the default of both, 100.
// A policy is never asked about an error that cannot be retried: the filter stands before it, inside the client.
import com.microsoft.azure.sdk.iot.device.transport.*;
import java.util.*;

public class Port {
    static final int FOREVER = Integer.MAX_VALUE;  // retries; the document names no limit

    static long number(Map<String, Object> params, String name, long otherwise) {
        return params.containsKey(name) ? Long.parseLong((String) params.get(name)) : otherwise;
    }

    static BackoffPort.Instance port(Map<String, Object> params) {
        RetryPolicy policy = params.getOrDefault("policy", "").equals("no_retry") ? new NoRetry()
            : new ExponentialBackoffWithJitter(FOREVER, number(params, "cmin_ms", 100), number(params, "cmax_ms", 10000), 100, false);
        return step -> {
            int x = Integer.parseInt((String) step.get("retry_count"));
            RetryDecision decision = policy.getRetryDecision(x - 1, new TransportException("gallery"));
            return decision.shouldRetry() ? Map.of("retry", true, "delay_ms", decision.getDuration()) : Map.of("retry", false);
        };
    }

    public static void main(String[] args) throws Exception {
        Properties about = new Properties();
        about.load(NoRetry.class.getResourceAsStream("/META-INF/maven/com.microsoft.azure.sdk.iot/iot-device-client/pom.properties"));
        BackoffPort.serve("""
            {"protocol":1,"port":{"name":"iot-device-client ExponentialBackoffWithJitter","version":"%s","language":"Java"},
             "systems":["azure_java_retry_policy"],"draws":"opaque","max_batch":256,
             "ranges":{"c_ms":["100","100"],"jd":["0.5","0.5"],"ju":["0.25","0.25"],
                       "retry_count":["1","2147483647"],"retryable":["true"]}}""".formatted(about.getProperty("version")),
            (params, steps) -> port(params));
    }
}
