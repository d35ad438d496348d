// spring-retry's ExponentialBackOffPolicy, and with randomize ExponentialRandomBackOffPolicy, as a port: backOff, with a sleeper that
// only counts. They draw by themselves. A reset is a start anew.
import java.util.*;
import org.springframework.retry.backoff.*;

public class Port {
    static BackoffPort.Instance port(Map<String, Object> params) {
        ExponentialBackOffPolicy policy = params.get("randomize").equals("1") ? new ExponentialRandomBackOffPolicy()
            : new ExponentialBackOffPolicy();
        policy.setInitialInterval(Long.parseLong((String) params.get("initial_interval")));
        policy.setMultiplier(Double.parseDouble((String) params.get("multiplier")));
        policy.setMaxInterval(Long.parseLong((String) params.get("max_interval")));
        long[] slept = {0};
        policy.setSleeper(ms -> slept[0] = ms);
        BackOffContext[] context = {policy.start(null)};
        return step -> {
            if (step.get("op").equals("reset")) {
                context[0] = policy.start(null);
                return Map.of("status", "ok");
            }
            policy.backOff(context[0]);
            return Map.of("status", "retry", "delay_ms", slept[0]);
        };
    }

    public static void main(String[] args) throws Exception {
        BackoffPort.serve("""
            {"protocol":1,"port":{"name":"spring-retry Exponential(Random)BackOffPolicy","version":"2.0.12","language":"Java"},
             "systems":["spring_retry_exponential"],"draws":"opaque","max_batch":256,"features":["instances"]}""",
            (params, steps) -> port(params));
    }
}
