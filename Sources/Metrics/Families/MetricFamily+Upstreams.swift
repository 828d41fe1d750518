// Calls to upstreams, by the upstream's declared name.
extension MetricFamily {
    /// `sluice_upstream_attempts_total`: attempts that are over, by class of status or reason.
    public static let upstreamAttempts = MetricFamily(
        "sluice_upstream_attempts_total", .counter, of: .upstream, labels: ["status", "reason"],
        help: "Attempts that are over, by class of status or reason.")
    /// `sluice_upstream_attempt_duration_seconds`: time from the start of an attempt, which may wait for a
    /// connection, to its end.
    public static let upstreamAttemptDuration = MetricFamily(
        "sluice_upstream_attempt_duration_seconds", .durations(.usual), of: .upstream,
        help: "Time from the start of an attempt, which may wait for a connection, to its end.")
    /// `sluice_upstream_pool_wait_seconds`: time that attempts waited for a connection of the pool, or for a
    /// place to open one.
    public static let upstreamPoolWait = MetricFamily(
        "sluice_upstream_pool_wait_seconds", .durations(.usual), of: .upstream,
        help: "Time that attempts waited for a connection of the pool, or for a place to open one.")
    /// `sluice_upstream_refused_total`: attempts that a limit refused before anything was sent.
    public static let upstreamRefused = MetricFamily(
        "sluice_upstream_refused_total", .counter, of: .upstream, labels: ["reason"],
        help: "Attempts that a limit refused before anything was sent.")
    /// `sluice_upstream_retries_total`: attempts after the first of a call.
    public static let upstreamRetries = MetricFamily(
        "sluice_upstream_retries_total", .counter, of: .upstream, help: "Attempts after the first of a call.")
    /// `sluice_upstream_not_retried_total`: calls that a rule kept from another attempt.
    public static let upstreamNotRetried = MetricFamily(
        "sluice_upstream_not_retried_total", .counter, of: .upstream, labels: ["rule"],
        help: "Calls that a rule kept from another attempt.")
    /// `sluice_upstream_circuit_state`: state of the circuit: 0 closed, 1 half-open, 2 open.
    public static let upstreamCircuitState = MetricFamily(
        "sluice_upstream_circuit_state", .gauge, of: .upstream,
        help: "State of the circuit: 0 closed, 1 half-open, 2 open.")
    /// `sluice_upstream_circuit_openings_total`: how often the circuit has opened.
    public static let upstreamCircuitOpenings = MetricFamily(
        "sluice_upstream_circuit_openings_total", .counter, of: .upstream,
        help: "How often the circuit has opened.")
    /// `sluice_upstream_addresses`: addresses of upstreams that have several.
    public static let upstreamAddresses = MetricFamily(
        "sluice_upstream_addresses", .gauge, of: .upstream, labels: ["state"],
        help: "Addresses of upstreams that have several.")
    /// `sluice_upstream_ejections_total`: addresses taken out of service because their attempts failed.
    public static let upstreamEjections = MetricFamily(
        "sluice_upstream_ejections_total", .counter, of: .upstream,
        help: "Addresses taken out of service because their attempts failed.")
    /// `sluice_upstream_health_checks_total`: health checks of addresses.
    public static let upstreamHealthChecks = MetricFamily(
        "sluice_upstream_health_checks_total", .counter, of: .upstream, labels: ["result"],
        help: "Health checks of addresses.")
    /// `sluice_upstream_connections`: open connections. A relay is leased, too.
    public static let upstreamConnections = MetricFamily(
        "sluice_upstream_connections", .gauge, of: .upstream, labels: ["state"],
        help: "Open connections. A relay is leased, too.")
    /// `sluice_upstream_connections_opened_total`: connections opened.
    public static let upstreamConnectionsOpened = MetricFamily(
        "sluice_upstream_connections_opened_total", .counter, of: .upstream, help: "Connections opened.")
    /// `sluice_upstream_connections_closed_total`: connections closed, or not opened, by reason.
    public static let upstreamConnectionsClosed = MetricFamily(
        "sluice_upstream_connections_closed_total", .counter, of: .upstream, labels: ["reason"],
        help: "Connections closed, or not opened, by reason.")
    /// `sluice_upstream_body_bytes`: bytes of bodies in memory, of calls and responses.
    public static let upstreamBodyBytes = MetricFamily(
        "sluice_upstream_body_bytes", .gauge, of: .upstream,
        help: "Bytes of bodies in memory, of calls and responses.")
    /// `sluice_certificate_expiry_timestamp_seconds`: when the first of the configured certificates expires,
    /// since 1970.
    public static let certificateExpiry = MetricFamily(
        "sluice_certificate_expiry_timestamp_seconds", .gauge, of: .upstream, labels: ["kind"],
        help: "When the first of the configured certificates expires, since 1970.")
    /// `sluice_certificate_expiry_timestamp_seconds` of the gateway's own certificates, which have other
    /// labels: when a certificate that clients see, or the first of the clients' authorities, expires.
    public static let serverCertificateExpiry = MetricFamily(
        certificateExpiry.name, .gauge, labels: ["certificate", "kind"], help: certificateExpiry.help)
    /// `sluice_upstream_table_entries`: entries of the tables that calls to different upstreams fill.
    public static let upstreamTables = MetricFamily(
        "sluice_upstream_table_entries", .gauge, labels: ["table"],
        help: "Entries of the tables that calls to different upstreams fill.")
    /// `sluice_upstream_waiting_calls`: calls that wait for a connection.
    public static let upstreamWaitingCalls = MetricFamily(
        "sluice_upstream_waiting_calls", .gauge, of: .upstream, help: "Calls that wait for a connection.")
    /// `sluice_upstream_calls_in_flight`: calls that are on a connection or wait for one.
    public static let upstreamCallsInFlight = MetricFamily(
        "sluice_upstream_calls_in_flight", .gauge, of: .upstream,
        help: "Calls that are on a connection or wait for one.")
}
