package import GatewayConfig
import Glibc
import HTTPModel
import HTTPOutbound
import JSONBytes

/// Draws where the time of a request went: of a new one, or of an earlier one.
package enum ExplainCommand {
    private static let requestFlag = ProgramFlag(
        name: "request", placeholder: "ID",
        help: "draw the request with this request or trace id, which is over", fallback: "none")
    private static let logFlag = ProgramFlag(
        name: "log", placeholder: "FILE",
        help: "find it in this access log (lines of JSON; - is standard input), not in the running gateway",
        fallback: "none")
    private static let timeout = Duration.seconds(60)

    static let specification: CommandSpecification = {
        var command = CommandSpecification(
            name: "explain",
            summary: "draw the calls of a request: to a path of the running gateway, or to a URL",
            flags: [requestFlag, logFlag, AdminClient.addressFlag, AdminClient.tokenFlag],
            positionals: ["[/PATH|URL]"])
        command.footer = """

            The gateway at the URL must answer Prefer: timeline. Of requests that are over, the gateway and its log have those
            that failed or were slow. The line of an attempt shows its way: . waits for a connection, c connects, - waits for
            the response, = receives it, x fails.

            """
        return command
    }()

    /// What a command draws.
    private enum Subject {
        case path(String)
        case url(HTTPURL, String)
        case kept(id: String)
        case logged(id: String, file: String)

        init(_ arguments: ProgramArguments) throws(UsageError) {
            let file = arguments.string("log")
            switch (arguments.positional, arguments.string("request")) {
            case (nil, nil):
                throw UsageError(message: "explain needs a path, a URL or --request ID")
            case (_?, _?): throw UsageError(message: "explain takes a path, a URL or --request ID, only one")
            case (_?, nil) where file != nil: throw UsageError(message: "--log needs --request ID")
            case (nil, let id?):
                guard !id.isEmpty, !id.contains("/") else {
                    throw UsageError(message: "'\(id)' is not an id of a request or trace")
                }
                self = file.map { .logged(id: id, file: $0) } ?? .kept(id: id)
            case (let target?, nil) where target.hasPrefix("/"): self = .path(target)
            case (let text?, nil):
                do {
                    self = .url(try HTTPURL(text), text)
                } catch {
                    throw UsageError(message: "'\(text)' is neither a path such as /page nor a URL: \(error)")
                }
            }
        }
    }

    /// Returns the exit code: 1 if the request cannot be made or found.
    package static func run(
        _ arguments: ProgramArguments, _ settings: AdminSettings, of program: String
    ) throws(UsageError) -> Int32 {
        let subject = try Subject(arguments)
        let client: AdminClient? =
            switch subject {
            case .path, .kept: try AdminClient(arguments, settings)
            case .url, .logged: nil
            }
        do throws(AdminClient.Failure) {
            let record = try record(of: subject, client)
            guard let drawing = RequestDrawing(record) else {
                if case .path = subject {
                    throw AdminClient.Failure(
                        message: "the answer is passed on while it arrives, so the record has no timeline")
                }
                throw AdminClient.Failure(
                    message:
                        "the request has no timeline: only a failed or slow one has, and one that asks for it"
                )
            }
            Announcement.print(drawing.text)
            return 0
        } catch {
            Announcement.complain(error.message, by: program)
            return 1
        }
    }

    /// Returns a line of the access log, or what has the same members.
    private static func record(
        of subject: Subject, _ client: AdminClient?
    ) throws(AdminClient.Failure) -> JSONFragment {
        switch subject {
        case .path(let target):
            let body = "{\"target\":\(JSONFragment(string: target))}"
            let answer = try asked(client, "/explain", body)
            guard let record = answer[member: "request"] else {
                throw AdminClient.Failure(message: "the gateway answered no request")
            }
            return record
        case .kept(let id): return try asked(client, "/requests/\(id)", nil)
        case .logged(let id, let file): return try LogSearch.line(of: id, in: file)
        case .url(let url, let text): return try answer(of: url, text)
        }
    }

    private static func asked(
        _ client: AdminClient?, _ path: String, _ body: String?
    ) throws(AdminClient.Failure) -> JSONFragment {
        guard let client else { throw AdminClient.Failure(message: "the program has no admin listener") }
        let answer =
            if let body {
                try client.post(path, body, within: timeout)
            } else {
                try client.get(path, within: timeout)
            }
        guard answer.status == .ok else {
            throw AdminClient.Failure(message: client.complaint(path, answer))
        }
        return answer.body
    }

    /// Asks a gateway for a timeline in its envelope.
    private static func answer(
        of url: HTTPURL, _ text: String
    ) throws(AdminClient.Failure) -> JSONFragment {
        let path = url.path.isEmpty ? "/" : url.path
        let target = path + (url.query.map { "?\($0)" } ?? "")
        let request = OutboundRequest(
            target: target, fields: [.prefer: "timeline", .accept: "application/json, */*;q=0.5"])
        let result: Result<OutboundResponse, any Error>
        switch HealthProbe.origin(of: url) {
        case .failure(let complaint): throw AdminClient.Failure(message: "\(text): \(complaint.message)")
        case .success(let origin): result = HealthProbe.ask(origin, request, within: timeout)
        }
        switch result {
        case .failure(let error): throw AdminClient.Failure(message: "\(text): \(error)")
        case .success(let response):
            guard let envelope = try? JSONFragment(validating: Array(response.body)[...]),
                let record = RequestDrawing.record(
                    envelope, status: response.head.status.code, path: path,
                    requestID: response.head.fields[.xRequestID])
            else {
                throw AdminClient.Failure(
                    message: "\(text) answered \(response.head.status.code) without meta.timeline; "
                        + "the gateway needs --timeline on, or `timeline: on` in its file")
            }
            return record
        }
    }
}

/// Finds a request in an access log.
private enum LogSearch {
    /// Bytes of a line. A gateway writes no longer one.
    private static let longestLine = 1 << 20

    /// Returns the last line with this request or trace id. Text before the JSON, as container runtimes
    /// write, is ignored. Docker's json-file (`log`) and journalctl (`MESSAGE`) have the line as a string.
    static func line(of id: String, in file: String) throws(AdminClient.Failure) -> JSONFragment {
        guard let stream = file == "-" ? fdopen(STDIN_FILENO, "r") : fopen(file, "r") else {
            throw AdminClient.Failure(message: "\(file): \(String(cString: strerror(errno)))")
        }
        defer { fclose(stream) }
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        var found: JSONFragment?
        while true {
            let count = getline(&buffer, &capacity, stream)
            guard count > 0, let buffer else { break }
            guard count <= longestLine else { continue }
            let line = UnsafeRawBufferPointer(start: buffer, count: count)
            guard let start = line.firstIndex(of: UInt8(ascii: "{")),
                strstr(buffer, id) != nil,
                var record = try? JSONFragment(validating: Array(line[start...])[...])
            else { continue }
            if let text = (record[member: "log"] ?? record[member: "MESSAGE"])?.stringValue,
                let inner = try? JSONFragment(validating: Array(text.utf8)[...])
            {
                record = inner
            }
            let ids = [record[member: "requestId"]?.stringValue, record[member: "traceId"]?.stringValue]
            if ids.contains(id) { found = record }
        }
        guard ferror(stream) == 0 else {
            throw AdminClient.Failure(message: "\(file): \(String(cString: strerror(errno)))")
        }
        guard let found else {
            throw AdminClient.Failure(
                message: "\(file == "-" ? "standard input" : file) has no request with the id \(id)")
        }
        return found
    }
}
