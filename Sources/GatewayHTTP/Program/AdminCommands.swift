package import GatewayConfig
import JSONBytes

/// The commands that do what a signal does, and tell how that went.
package enum AdminCommands {
    private static let flags = [AdminClient.addressFlag, AdminClient.tokenFlag]
    /// Certificates and included files may be on a slow file system.
    private static let reloadTimeout = Duration.seconds(60)
    private static let drainTimeout = Duration.seconds(5)

    static let reload = CommandSpecification(
        name: "reload",
        summary: "let a running gateway read its file and certificates again, and print what is wrong",
        flags: flags)
    static let drain = CommandSpecification(
        name: "drain", summary: "let a running gateway end once its requests are answered", flags: flags)

    /// Prints the problems of the file as `check` does. Returns the exit code: 1 if the old configuration
    /// stays in use.
    package static func reload(
        _ arguments: ProgramArguments, _ settings: AdminSettings, of program: String
    ) throws(UsageError) -> Int32 {
        let client = try AdminClient(arguments, settings)
        do throws(AdminClient.Failure) {
            let answer = try client.post("/reload", within: reloadTimeout)
            if answer.status == .ok {
                for warning in answer.body.texts("warnings") { Announcement.print(warning + "\n") }
                let generation = answer.body[member: "generation"]?.description ?? ""
                let isFile = answer.body[member: "reloaded"]?.stringValue != "certificates"
                Announcement.print("reloaded: \(isFile ? "generation \(generation)" : "certificates")\n")
                return 0
            }
            let problems = answer.body[member: "details"]?.texts("problems") ?? []
            for problem in problems { Announcement.print(problem + "\n") }
            Announcement.complain(client.complaint("/reload", answer), by: program)
        } catch {
            Announcement.complain(error.message, by: program)
        }
        return 1
    }

    /// Returns the exit code.
    package static func drain(
        _ arguments: ProgramArguments, _ settings: AdminSettings, of program: String
    ) throws(UsageError) -> Int32 {
        let client = try AdminClient(arguments, settings)
        do throws(AdminClient.Failure) {
            let answer = try client.post("/drain", within: drainTimeout)
            if answer.status == .accepted {
                // Who did not mean this gateway sees it at once.
                func text(_ name: String) -> String { answer.body[member: name]?.stringValue ?? "" }
                Announcement.print("draining \(text("name")) at \(text("url"))\n")
                return 0
            }
            Announcement.complain(client.complaint("/drain", answer), by: program)
        } catch {
            Announcement.complain(error.message, by: program)
        }
        return 1
    }
}

extension JSONFragment {
    /// The texts of a list.
    fileprivate func texts(_ name: String) -> [String] {
        self[member: name]?.elements.compactMap(\.stringValue) ?? []
    }
}
