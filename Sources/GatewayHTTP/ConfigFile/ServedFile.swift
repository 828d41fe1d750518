import EndpointPlans
import GatewayConfig
import GatewayCore

/// The file that a gateway serves, and what the program adds to it. Each reading gives what a generation is
/// made of.
struct ServedFile: Sendable {
    let path: String
    let isBesideSwift: Bool
    /// Returns the settings, given the file.
    let configure: @Sendable (GatewayFile) throws -> GatewayServerConfiguration
    /// Declares the endpoints of the file, and others.
    let declare: @Sendable (GatewayFile, Gateway) throws -> Void

    /// What was read, and the stamps of the files as they were before.
    struct Reading {
        let stamps: FileStamps
        let result: Result<(file: GatewayFile, configuration: GatewayServerConfiguration), any Error>
    }

    /// Reads the file, those that it includes, its secrets and its certificates. Blocks.
    func read() -> Reading {
        let source = StampingSource()
        let result = Result {
            let file = try GatewayFile(
                path, from: source, isBesideSwift: isBesideSwift, willReadTLS: source.note)
            let configuration = try configure(file)
            // Also those that flags name.
            source.note(configuration.tls?.files ?? [])
            return (file: file, configuration: configuration)
        }
        return Reading(stamps: source.stamps, result: result)
    }

    /// Returns a complaint for each setting that a running gateway cannot change.
    static func restarts(
        from old: GatewayServerConfiguration, to new: GatewayServerConfiguration, _ document: ConfigDocument
    ) -> [ConfigProblem] {
        let changes: [(isChanged: Bool, key: String)] = [
            (old.host != new.host, "listen.host"), (old.port != new.port, "listen.port"),
            (old.loops != new.loops, "listen.loops"), ((old.tls == nil) != (new.tls == nil), "listen.tls"),
            (old.redirect?.port != new.redirect?.port, "listen.redirect.port"),
            (old.name != new.name, "name"),
            (old.admin.addresses != new.admin.addresses, "admin.listen"),
            (old.admin.token != new.admin.token, "admin.token"),
            (old.inbound.connections != new.inbound.connections, "limits.connections"),
            (old.upstreamBodies != new.upstreamBodies, "limits.upstreamBodies"),
        ]
        return changes.filter(\.isChanged).map { change in
            document.problem(
                .error, "\(change.key) needs a restart",
                at: document.changes.place(of: change.key) ?? ConfigPlace(file: 0, line: 1, column: 1))
        }
    }
}
