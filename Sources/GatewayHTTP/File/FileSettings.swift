import EndpointPlans
import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel
import HTTPOutbound
import NetworkingSession

/// Applies the settings of a file that are no upstreams and endpoints.
struct FileSettings {
    private let document: ConfigDocument

    init(_ document: ConfigDocument) {
        self.document = document
    }

    func apply(to configuration: inout GatewayServerConfiguration, _ faults: inout FileFaults) {
        applyListening(to: &configuration, &faults)
        if let level = document.logLevel?.value { configuration.logLevel = LogLevel(level) }
        if let logs = document.logsAccess?.value { configuration.accessLog = logs }
        if let delay = document.drainDelay?.value { configuration.drainDelay = .nanoseconds(delay) }
        if let deadline = document.drainDeadline?.value {
            configuration.drainDeadline = .nanoseconds(deadline)
        }
        applyCompression(to: &configuration)
        if let timeline = document.timeline?.value { configuration.limits.allowsTimeline = timeline }
        if let cors = document.cors?.value {
            if case .list(let origins) = cors.origins {
                for origin in origins {
                    guard let fault = CORSPolicy.fault(of: origin.value) else { continue }
                    faults.add(
                        fault + (origin.value == "*" ? "; write any for all origins" : ""), at: origin.place)
                }
            }
            configuration.cors = CORSPolicy(cors)
        }
        applyProxy(to: &configuration, &faults)
        applyFiles(to: &configuration, &faults)
        applyLimits(to: &configuration)
        for upstream in document.upstreams {
            FileUpstream(upstream).apply(to: &configuration, &faults)
        }
    }

    private func applyListening(
        to configuration: inout GatewayServerConfiguration, _ faults: inout FileFaults
    ) {
        if let host = document.listen.host {
            let address = host.value == "localhost" ? "127.0.0.1" : host.value
            if SocketAddress(host: address, port: 0) == nil {
                faults.add(
                    "host takes a numeric address such as 127.0.0.1 or ::1, or localhost, not \"\(host.value)\"",
                    at: host.place)
            }
            configuration.host = address
        }
        if let port = document.listen.port?.value { configuration.port = port }
        if let loops = document.listen.loops?.value { configuration.loops = loops }
        if let name = document.name {
            if GatewayName(name.value) == nil {
                faults.add("name takes \(GatewayName.rule), not \"\(name.value)\"", at: name.place)
            }
            configuration.name = name.value
        }
        if let hosts = document.hosts, let first = hosts.first {
            do {
                configuration.hosts = try HostNames(hosts.map(\.value))
            } catch {
                faults.add("hosts takes names, or any: \(error)", at: first.place)
            }
        }
    }

    private func applyProxy(
        to configuration: inout GatewayServerConfiguration, _ faults: inout FileFaults
    ) {
        guard let proxy = document.proxy else { return }
        guard proxy.value != "environment" else {
            configuration.connections.proxy = .environment
            return
        }
        var exceptions = NoProxy()
        if let noProxy = document.noProxy, let first = noProxy.first {
            do {
                exceptions = try NoProxy(noProxy.map(\.value).joined(separator: ","))
            } catch {
                faults.add("noProxy: \(error)", at: first.place)
            }
        }
        do {
            configuration.connections.proxy = .fixed(
                try ProxyConfiguration(proxy.value), except: exceptions)
        } catch {
            // Without the URL, which may contain a password.
            faults.add(
                "proxy takes http://[user:password@]host[:port] or environment: \(error)", at: proxy.place)
        }
    }

    private func applyCompression(to configuration: inout GatewayServerConfiguration) {
        switch document.compression?.value {
        case nil: break
        case .off?: configuration.compression = nil
        case .on(let own)?:
            var settings = configuration.compression ?? CompressionSettings()
            if let minimum = own.minimum?.value { settings.minimumSize = minimum }
            if let streams = own.streams?.value { settings.streams = streams }
            configuration.compression = settings
        }
    }

    private func applyFiles(
        to configuration: inout GatewayServerConfiguration, _ faults: inout FileFaults
    ) {
        if let folder = document.spoolFolder {
            do {
                try SpoolFile.check(folder.value)
            } catch {
                faults.add("spoolDirectory takes a writable folder: \(error)", at: folder.place)
            }
            configuration.inbound.spoolDirectory = folder.value
        }
        guard let folder = document.publicFolder else { return }
        do {
            _ = try RootFolder(path: folder.value)
        } catch {
            faults.add("public takes a readable folder: \(error)", at: folder.place)
        }
        configuration.files = .folder(folder.value)
    }

    private func applyLimits(to configuration: inout GatewayServerConfiguration) {
        let limits = document.limits
        if let deadline = limits.deadline?.value { configuration.limits.deadline = .nanoseconds(deadline) }
        if let body = limits.requestBody?.value { configuration.limits.requestBody = body }
        if let answer = limits.answer?.value { configuration.limits.answer = answer }
        if let requests = limits.requestsInFlight?.value {
            configuration.inbound.requestsInFlight = requests
        }
        if let bytes = limits.upstreamBodies?.value { configuration.upstreamBodies = bytes }
        if let connections = limits.connections?.value { configuration.inbound.connections = connections }
        if let rate = limits.sendRate?.value { configuration.inbound.sendRate = rate }
        if let idle = limits.keepAlive?.value { configuration.inbound.keepAliveIdle = .nanoseconds(idle) }
    }
}

extension LogLevel {
    fileprivate init(_ level: ConfigLogLevel) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
    }
}

extension CORSPolicy {
    fileprivate init(_ cors: ConfigCORS) {
        let origins: Origins =
            switch cors.origins {
            case .any: .any
            case .list(let origins): .list(origins.map(\.value))
            }
        self.init(origins: origins)
        if let methods = cors.methods { self.methods = methods.compactMap { HTTPMethod(rawValue: $0.value) } }
        if let headers = cors.headers { self.headers = headers.compactMap { HTTPFieldName($0.value) } }
        if let exposed = cors.exposedHeaders {
            exposedHeaders = exposed.compactMap { HTTPFieldName($0.value) }
        }
        if let maxAge = cors.maxAge?.value { self.maxAge = .nanoseconds(maxAge) }
        if let allows = cors.allowsCredentials?.value { allowsCredentials = allows }
    }
}
