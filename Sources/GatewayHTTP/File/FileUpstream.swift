import Dispatch
import EndpointPlans
import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel
import HTTPOutbound
import Networking
import NetworkingSession
import Resilience

/// Translates an upstream of a file.
struct FileUpstream {
    private let upstream: ConfigUpstream

    init(_ upstream: ConfigUpstream) {
        self.upstream = upstream
    }

    private var name: String { upstream.name.value }

    // MARK: Connections

    /// Applies the settings that belong to connections.
    func apply(to configuration: inout GatewayServerConfiguration, _ faults: inout FileFaults) {
        let urls = upstream.urls.map(\.value)
        do {
            _ = try Upstream(name: name, baseURLs: urls)
        } catch {
            faults.add("\(error)", at: upstream.urls.first?.place ?? upstream.name.place)
        }
        // A flag has precedence.
        if configuration.upstreams[name] == nil { configuration.upstreams[name] = UpstreamURLs(urls) }
        if let tls = upstream.tls {
            let settings = Self.configuration(tls.value)
            do {
                _ = try TLSContext(settings)
            } catch {
                faults.add("tls: \(error)", at: tls.place)
            }
            configuration.connections.tlsByUpstream[name] = settings
        }
        if let dns = upstream.dns {
            let settings = Self.settings(dns.value)
            do {
                _ = try Resolver(settings)
            } catch {
                faults.add("dns: \(error)", at: dns.place)
            }
            configuration.connections.dnsByUpstream[name] = settings
        }
        if let limits = OutboundLimits(upstream.limits, in: configuration.outbound) {
            configuration.connections.limitsByUpstream[name] = limits
        }
    }

    private static func configuration(_ tls: ConfigTLS) -> TLSConfiguration {
        var settings = TLSConfiguration()
        if let ca = tls.ca?.value { settings.trust = .authorities(.file(ca)) }
        if let certificate = tls.certificate?.value, let key = tls.key?.value {
            settings.identity = TLSConfiguration.Identity(
                certificateChain: .file(certificate), privateKey: .file(key))
        }
        settings.pins = Set(tls.pins.map(\.value))
        settings.serverName = tls.serverName?.value
        if tls.minimum?.value == .tls13 { settings.minimumVersion = .tls13 }
        if tls.verifies?.value == false { settings.verification = .insecureNone }
        return settings
    }

    private static func settings(_ dns: ConfigDNS) -> DNSSettings {
        guard case .settings(let minTTL, let maxTTL, let stale, let servers) = dns else { return .system }
        var settings = DNSSettings()
        if let minTTL = minTTL?.value { settings.minTTL = .nanoseconds(minTTL) }
        if let maxTTL = maxTTL?.value { settings.maxTTL = .nanoseconds(maxTTL) }
        if let stale = stale?.value { settings.stale = .nanoseconds(stale) }
        settings.servers = servers.map(\.value)
        return settings
    }

    // MARK: Calls

    /// Declares the upstream with its policies.
    func declare(on gateway: Gateway) -> PlannedUpstream {
        gateway.upstream(name) { policy in change(&policy) }
        return gateway.plannedUpstream(
            name, UpstreamURLs(upstream.urls.map(\.value)), policy: callPolicy,
            envelope: ResponseEnvelope(upstream.envelope?.value ?? .none), headers: headers,
            allowsEmptyBody: upstream.emptyBody?.value ?? false)
    }

    /// Declares the upstream for requests that pass through.
    func declareProxy(on gateway: Gateway) -> ProxyUpstream {
        gateway.proxyUpstream(name, baseURLs: UpstreamURLs(upstream.urls.map(\.value)), policy: callPolicy)
    }

    /// Sent with each call.
    var headers: HTTPFields {
        var fields = HTTPFields()
        for header in upstream.headers { fields.append(header.name.value, header.value.value) }
        return fields
    }

    var callPolicy: CallPolicy {
        var policy = CallPolicy()
        let timeouts = upstream.timeouts
        if let total = timeouts.total?.value { policy.totalTimeout = .nanoseconds(total) }
        var attempt = policy.attemptLimits
        if let connect = timeouts.connect?.value { attempt.connect = .nanoseconds(connect) }
        if let firstByte = timeouts.firstByte?.value { attempt.firstByte = .nanoseconds(firstByte) }
        if let between = timeouts.between?.value { attempt.between = .nanoseconds(between) }
        if attempt != policy.attemptLimits { policy.attemptLimits = attempt }
        if let attempts = upstream.retry.attempts?.value { policy.retry.maxAttempts = attempts }
        if upstream.retry.base != nil || upstream.retry.cap != nil {
            policy.retry.backoff = .exponential(
                base: .nanoseconds(upstream.retry.base?.value ?? 10_000_000),
                cap: .nanoseconds(upstream.retry.cap?.value ?? 1_000_000_000), jitter: .full)
        }
        return policy
    }

    func change(_ policy: inout UpstreamPolicy) {
        if case .on(let concurrency)? = upstream.concurrency?.value { policy.concurrency = concurrency }
        switch upstream.breaker?.value {
        case nil: break
        case .off?: policy.breaker = nil
        case .on(let breaker)?: policy.breaker = (policy.breaker ?? CircuitBreakerPolicy()).with(breaker)
        }
        switch upstream.ejection?.value {
        case nil: break
        case .off?: policy.ejection = nil
        case .on(let ejection)?: policy.ejection = (policy.ejection ?? EjectionPolicy()).with(ejection)
        }
        switch upstream.slowStart?.value {
        case nil: break
        case .off?: policy.slowStart = nil
        case .on(let time)?: policy.slowStart = .nanoseconds(time)
        }
        if case .on(let health)? = upstream.health?.value { policy.health = HealthCheckPolicy(health) }
        switch upstream.compression?.value {
        case nil: break
        case .unlessNearby?: policy.compression = .unlessNearby
        case .always?: policy.compression = .always
        case .never?: policy.compression = .never
        }
    }
}

extension ResponseEnvelope {
    fileprivate init(_ envelope: ConfigEnvelope) {
        self =
            switch envelope {
            case .none: .none
            case .generic: .genericResponse
            case .declared(let status, let data, let message, let success):
                .declared(
                    status: status.value, data: data.value, message: message?.value,
                    success: Set(success.map(\.value)))
            }
    }
}

extension CircuitBreakerPolicy {
    fileprivate func with(_ breaker: ConfigBreaker) -> CircuitBreakerPolicy {
        var policy = self
        if let window = breaker.window?.value { policy.window = .nanoseconds(window) }
        if let calls = breaker.minimumCalls?.value { policy.minimumCalls = calls }
        if let rate = breaker.failureRate?.value { policy.failureRate = rate }
        if let open = breaker.open?.value { policy.open = .nanoseconds(open) }
        if let maxOpen = breaker.maxOpen?.value { policy.maxOpen = .nanoseconds(maxOpen) }
        if let probes = breaker.probes?.value { policy.probes = probes }
        return policy
    }
}

extension EjectionPolicy {
    fileprivate func with(_ ejection: ConfigEjection) -> EjectionPolicy {
        var policy = self
        if let consecutive = ejection.consecutive?.value { policy.consecutive = consecutive }
        if let base = ejection.base?.value { policy.base = .nanoseconds(base) }
        if let max = ejection.max?.value { policy.max = .nanoseconds(max) }
        if let share = ejection.maxShare?.value { policy.maxShare = share }
        return policy
    }
}

extension HealthCheckPolicy {
    fileprivate init(_ health: ConfigHealthCheck) {
        self.init(path: health.path.value)
        if let interval = health.interval?.value { self.interval = .nanoseconds(interval) }
        if let timeout = health.timeout?.value { self.timeout = .nanoseconds(timeout) }
        if let unhealthy = health.unhealthy?.value { self.unhealthy = unhealthy }
        if let healthy = health.healthy?.value { self.healthy = healthy }
    }
}

extension OutboundLimits {
    /// Returns nil if the file sets none.
    fileprivate init?(_ own: ConfigUpstreamLimits, in standard: OutboundLimits) {
        guard own.connections != nil || own.wait != nil || own.body != nil || own.passThrough != nil else {
            return nil
        }
        self = standard
        if let connections = own.connections?.value { connectionsPerUpstream = connections }
        if let wait = own.wait?.value { waitTimeout = .nanoseconds(wait) }
        if let body = own.body?.value { responseBody = body }
        if let share = own.passThrough?.value { relayShare = share }
    }
}
