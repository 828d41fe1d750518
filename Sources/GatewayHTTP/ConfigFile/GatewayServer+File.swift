import EventIO
public import GatewayConfig
public import GatewayCore

extension GatewayServer {
    /// Serves a file together with endpoints in Swift until SIGTERM or SIGINT; then drains. Called by the
    /// `main` of a gateway.
    ///
    ///     exit(GatewayServer.run(file: "sluice.yaml") { gateway in
    ///         let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
    ///         gateway.get("/api/streak") { request in ... }
    ///     })
    ///
    /// A provider of an upstream that the file declares has the file's URL, TLS, limits, breaker, retries and
    /// time limits. SIGHUP reads the file again: then `declare` is called once more, for the requests that
    /// arrive from then on. A file with an error changes nothing, and each problem is logged with its place.
    ///
    /// - Parameters:
    ///   - configuration: what the file does not set.
    ///   - path: the file, in the format of `sluice serve --config`.
    ///   - declare: declares the endpoints in Swift. A path that the file has, too, is an error.
    /// - Returns: the exit code: 0 after a drain, 1 if the gateway could not start, with the reason on
    ///   standard error.
    public static func run(
        _ configuration: GatewayServerConfiguration = GatewayServerConfiguration(), file path: String,
        declare: @escaping @Sendable (Gateway) throws -> Void
    ) -> Int32 {
        do throws(UsageError) {
            return try run(of: "sluice") {
                try make(ServedFile(path, configuration, beside: declare), showsWarnings: true)
            }
        } catch {
            Announcement.complain(error.message)
            return error.isAboutFile ? 1 : 2
        }
    }

    /// Binds and serves a file together with endpoints in Swift, as `run` does. `reload()` reads the file
    /// again. From any thread.
    ///
    /// - Parameters:
    ///   - configuration: what the file does not set.
    ///   - path: the file, in the format of `sluice serve --config`.
    ///   - declare: declares the endpoints in Swift. It is called at once, and at each reload on another
    ///     thread.
    /// - Throws: what `start(_:declare:)` throws, and an error with a line for each problem of the file.
    public static func start(
        _ configuration: GatewayServerConfiguration = GatewayServerConfiguration(), file path: String,
        declare: @escaping @Sendable (Gateway) throws -> Void = { _ in }
    ) throws -> GatewayServer {
        let server = try make(ServedFile(path, configuration, beside: declare))
        try server.begin()
        server.accept()
        return server
    }

    /// Reads the file and binds, on another thread. The thread that serves would keep the memory of these
    /// contents after a reload.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - showsWarnings: whether the file's warnings go to standard error.
    static func make(_ file: ServedFile, showsWarnings: Bool = false) throws -> GatewayServer {
        try ThreadMemory.value(by: "contents") { memory in
            try GatewayServer(file, memory: memory, showsWarnings: showsWarnings)
        }
    }

    /// Reads the file and binds.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - logs: instead of the standard streams.
    ///   - memory: the memory of the calling thread, which lives as long as the contents; nil if it lives
    ///     longer.
    ///   - showsWarnings: whether the file's warnings go to standard error.
    ///   - access: what is known of callers.
    convenience init(
        _ file: ServedFile, logs: Logs? = nil, memory: ThreadMemory? = nil, showsWarnings: Bool = false,
        access: AccessState = AccessState()
    ) throws {
        // First, so that it ends once the values of the file are freed.
        PromptMemoryReturn.begin()
        defer { PromptMemoryReturn.end() }
        let reading = file.read()
        let (contents, configuration) = try reading.result.get()
        if showsWarnings {
            for warning in contents.warnings { Announcement.show(warning) }
        }
        do {
            try self.init(configuration, logs: logs, file: file, memory: memory, access: access) {
                try file.declare(contents, $0)
            }
        } catch {
            throw contents.redacted(error)
        }
        reloads.began(with: reading.stamps, hash: contents.document.hash)
    }
}

extension ServedFile {
    /// A file together with endpoints in Swift.
    init(
        _ path: String, _ configuration: GatewayServerConfiguration,
        beside declare: @escaping @Sendable (Gateway) throws -> Void
    ) {
        self.init(
            path: path, isBesideSwift: true,
            configure: { file in
                var settings = configuration
                file.apply(to: &settings)
                return settings
            },
            declare: { file, gateway in try file.declare(on: gateway, beside: declare) })
    }
}
