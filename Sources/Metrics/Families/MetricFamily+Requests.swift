// What clients asked for, and what they got.
extension MetricFamily {
    /// `sluice_http_requests_total`: requests that are over, by route and outcome.
    public static let httpRequests = MetricFamily(
        "sluice_http_requests_total", .counter, of: .route, labels: ["method", "status", "code"], limit: 16,
        help: "Requests that are over, by route and outcome.")
    /// `sluice_http_request_duration_seconds`: time from the head of a request to the last byte of its
    /// answer.
    public static let httpRequestDuration = MetricFamily(
        "sluice_http_request_duration_seconds", .durations(.usual), of: .route,
        help: "Time from the head of a request to the last byte of its answer.")
    /// `sluice_http_slow_requests_total`: slow requests, by the phase that took longest.
    public static let httpSlowRequests = MetricFamily(
        "sluice_http_slow_requests_total", .counter, of: .route, labels: ["phase"],
        help: "Slow requests, by the phase that took longest.")
    /// `sluice_http_request_bytes_total`: bytes received with requests.
    public static let httpRequestBytes = MetricFamily(
        "sluice_http_request_bytes_total", .counter, of: .route, help: "Bytes received with requests.")
    /// `sluice_http_response_bytes_total`: bytes of answers that the kernel accepted.
    public static let httpResponseBytes = MetricFamily(
        "sluice_http_response_bytes_total", .counter, of: .route,
        help: "Bytes of answers that the kernel accepted.")
    /// `sluice_http_unfinished_responses_total`: answers that did not get to their end.
    public static let httpUnfinishedResponses = MetricFamily(
        "sluice_http_unfinished_responses_total", .counter, labels: ["end"],
        help: "Answers that did not get to their end.")
    /// `sluice_http_requests_in_flight`: requests that wait for their handler.
    public static let httpRequestsInFlight = MetricFamily(
        "sluice_http_requests_in_flight", .gauge, help: "Requests that wait for their handler.")
    /// `sluice_http_refused_total`: requests that a limit or the server itself refused.
    public static let httpRefused = MetricFamily(
        "sluice_http_refused_total", .counter, labels: ["reason"],
        help: "Requests that a limit or the server itself refused.")
    /// `sluice_compression_input_bytes_total`: bytes of answers before they were compressed.
    public static let compressionInput = MetricFamily(
        "sluice_compression_input_bytes_total", .counter, labels: ["coding"],
        help: "Bytes of answers before they were compressed.")
    /// `sluice_compression_output_bytes_total`: bytes of answers after they were compressed.
    public static let compressionOutput = MetricFamily(
        "sluice_compression_output_bytes_total", .counter, labels: ["coding"],
        help: "Bytes of answers after they were compressed.")
    /// `sluice_compression_skipped_total`: answers sent as they are, for want of room or because compression
    /// did not make them smaller.
    public static let compressionSkipped = MetricFamily(
        "sluice_compression_skipped_total", .counter,
        help: "Answers sent as they are, for want of room or because compression did not make them smaller.")
    /// `sluice_compression_streams`: large and streamed answers that are being compressed.
    public static let compressionStreams = MetricFamily(
        "sluice_compression_streams", .gauge, help: "Large and streamed answers that are being compressed.")
    /// `sluice_parts_total`: parts of answers, by outcome.
    public static let parts = MetricFamily(
        "sluice_parts_total", .counter, of: .part, labels: ["kind", "reason"], limit: 16,
        help: "Parts of answers, by outcome.")
    /// `sluice_part_duration_seconds`: time from the start of a part to its end.
    public static let partDuration = MetricFamily(
        "sluice_part_duration_seconds", .durations(.parts), of: .part,
        help: "Time from the start of a part to its end.")
    /// `sluice_endpoint_faults_total`: faults of endpoints, each with its line in the log.
    public static let endpointFaults = MetricFamily(
        "sluice_endpoint_faults_total", .counter, of: .route,
        help: "Faults of endpoints, each with its line in the log.")
}

// Clients' connections.
extension MetricFamily {
    /// `sluice_connections`: open connections of clients.
    public static let connections = MetricFamily(
        "sluice_connections", .gauge, help: "Open connections of clients.")
    /// `sluice_connections_accepted_total`: connections of clients accepted.
    public static let connectionsAccepted = MetricFamily(
        "sluice_connections_accepted_total", .counter, help: "Connections of clients accepted.")
    /// `sluice_connections_shed_total`: clients that were closed or refused at the connection limit.
    public static let connectionsShed = MetricFamily(
        "sluice_connections_shed_total", .counter, labels: ["reason"],
        help: "Clients that were closed or refused at the connection limit.")
    /// `sluice_tls_handshakes_total`: TLS handshakes of clients that are over, by how they ended.
    public static let tlsHandshakes = MetricFamily(
        "sluice_tls_handshakes_total", .counter, labels: ["result"],
        help: "TLS handshakes of clients that are over, by how they ended.")
    /// `sluice_answer_bytes_waiting`: bytes of answers that wait for slow clients.
    public static let answerBytesWaiting = MetricFamily(
        "sluice_answer_bytes_waiting", .gauge, labels: ["place"],
        help: "Bytes of answers that wait for slow clients.")
}
