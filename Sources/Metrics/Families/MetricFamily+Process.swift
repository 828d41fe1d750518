// The process, its loops, limits and configuration.
extension MetricFamily {
    /// `sluice_loop_busy_seconds_total`: time in which a loop worked.
    public static let loopBusy = MetricFamily(
        "sluice_loop_busy_seconds_total", .time, labels: ["loop"], help: "Time in which a loop worked.")
    /// `sluice_loop_cpu_seconds_total`: processor time of a loop.
    public static let loopProcessorTime = MetricFamily(
        "sluice_loop_cpu_seconds_total", .time, labels: ["loop"], help: "Processor time of a loop.")
    /// `sluice_loop_wake_duration_seconds`: time that loops worked without a look at their sockets.
    public static let loopWakeDuration = MetricFamily(
        "sluice_loop_wake_duration_seconds", .durations(.usual),
        help: "Time that loops worked without a look at their sockets.")
    /// `sluice_loop_timers`: timers that a loop waits for.
    public static let loopTimers = MetricFamily(
        "sluice_loop_timers", .gauge, labels: ["loop"], help: "Timers that a loop waits for.")
    /// `sluice_limit_used_ratio`: share of a limit that is in use.
    public static let limitUsed = MetricFamily(
        "sluice_limit_used_ratio", .gauge, labels: ["limit"],
        help: "Share of a limit that is in use.")
    /// `sluice_config_reloads_total`: reloads of the configuration file; of certificates without one.
    public static let configReloads = MetricFamily(
        "sluice_config_reloads_total", .counter, labels: ["result"],
        help: "Reloads of the configuration file; of certificates without one.")
    /// `sluice_config_generation`: number of the configuration in use, from 1.
    public static let configGeneration = MetricFamily(
        "sluice_config_generation", .gauge, help: "Number of the configuration in use, from 1.")
    /// `sluice_config_last_reload_successful`: whether the last reload took effect.
    public static let configLastReloadSuccessful = MetricFamily(
        "sluice_config_last_reload_successful", .gauge, help: "Whether the last reload took effect.")
    /// `sluice_config_last_reload_success_timestamp_seconds`: when the configuration in use was read.
    public static let configLastReloadSuccess = MetricFamily(
        "sluice_config_last_reload_success_timestamp_seconds", .gauge,
        help: "When the configuration in use was read.")
    /// `sluice_config_info`: the SHA-256 of the file in use, with those that it includes.
    public static let configInfo = MetricFamily(
        "sluice_config_info", .gauge, labels: ["hash"],
        help: "The SHA-256 of the file in use, with those that it includes.")
    /// `sluice_config_last_look_timestamp_seconds`: when the watched files were last looked at.
    public static let configLastLook = MetricFamily(
        "sluice_config_last_look_timestamp_seconds", .gauge,
        help: "When the watched files were last looked at.")
    /// `sluice_dns_lookups_total`: lookups of names that are over.
    public static let dnsLookups = MetricFamily(
        "sluice_dns_lookups_total", .counter, labels: ["result"], help: "Lookups of names that are over.")
    /// `sluice_dns_lookup_duration_seconds`: time of a lookup, with the wait for its start.
    public static let dnsLookupDuration = MetricFamily(
        "sluice_dns_lookup_duration_seconds", .durations(.usual),
        help: "Time of a lookup, with the wait for its start.")
    /// `sluice_dns_stale_answers_total`: calls that used an expired address while its name was looked up
    /// again.
    public static let dnsStaleAnswers = MetricFamily(
        "sluice_dns_stale_answers_total", .counter,
        help: "Calls that used an expired address while its name was looked up again.")
    /// `sluice_dns_waiting_lookups`: lookups that wait for their start.
    public static let dnsWaitingLookups = MetricFamily(
        "sluice_dns_waiting_lookups", .gauge, help: "Lookups that wait for their start.")
    /// `sluice_log_messages_total`: messages of the diagnostic log.
    public static let logMessages = MetricFamily(
        "sluice_log_messages_total", .counter, labels: ["level"],
        help: "Messages of the diagnostic log.")
    /// `sluice_log_lines_dropped_total`: lines of the logs that their readers were too slow for.
    public static let logLinesDropped = MetricFamily(
        "sluice_log_lines_dropped_total", .counter, labels: ["stream"],
        help: "Lines of the logs that their readers were too slow for.")
    /// `sluice_spans_total`: spans of traces that were exported, or lost.
    public static let spans = MetricFamily(
        "sluice_spans_total", .counter, labels: ["result"],
        help: "Spans of traces that were exported, or lost.")
    /// `sluice_build_info`: the version of the program.
    public static let buildInfo = MetricFamily(
        "sluice_build_info", .gauge, labels: ["version"], help: "The version of the program.")
    /// `sluice_draining`: whether the gateway is draining.
    public static let draining = MetricFamily(
        "sluice_draining", .gauge, help: "Whether the gateway is draining.")

    /// `process_cpu_seconds_total`: processor time of the process, user and system.
    public static let processProcessorTime = MetricFamily(
        "process_cpu_seconds_total", .time, help: "Processor time of the process, user and system.")
    /// `process_resident_memory_bytes`: resident memory.
    public static let processResidentMemory = MetricFamily(
        "process_resident_memory_bytes", .gauge, help: "Resident memory.")
    /// `process_open_fds`: open file descriptors.
    public static let processOpenDescriptors = MetricFamily(
        "process_open_fds", .gauge, help: "Open file descriptors.")
    /// `process_max_fds`: the most file descriptors that may be open.
    public static let processMostDescriptors = MetricFamily(
        "process_max_fds", .gauge, help: "The most file descriptors that may be open.")
    /// `process_start_time_seconds`: when the process started, since 1970.
    public static let processStart = MetricFamily(
        "process_start_time_seconds", .gauge, help: "When the process started, since 1970.")
}
