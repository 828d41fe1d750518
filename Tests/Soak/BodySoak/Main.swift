import Foundation
import Glibc
import HTTPModel
import Networking
import NetworkingSession

/// Moves one large body with a provider and measures its memory and time. `make soak PROOF=bodies` runs it.
///
///     BodySoak download URL FILE [AUTHORITY]    GET it into the file
///     BodySoak upload URL FILE [AUTHORITY]      PUT it from the file
///
/// First moves four bodies from or to `URL/warm`, to get one-time and per-thread allocations out of the way.
/// Prints the resident memory before and its peak, both in KiB, and the seconds.
@main
enum BodySoak {
    private struct Body: TargetType {
        let baseURL: String
        var path: RequestPath
        var method = HTTPMethod.get
        var task = RequestTask.plain
        var validation: ValidationType { .successCodes }
    }

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 3, ["download", "upload"].contains(words[0]) else {
            FileHandle.standardError.write(
                Data("usage: BodySoak download|upload URL FILE [AUTHORITY]\n".utf8))
            exit(2)
        }
        let (url, file) = (words[1], words[2])
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        if words.count > 3 { configuration.connections.tls.trust = .authorities(.file(words[3])) }
        let session = try Session(configuration)
        defer { session.close() }
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(300)
        policy.attemptLimits.firstByte = .seconds(60)
        policy.retry = .never
        let provider = Provider<Body>(session: session, policy: policy)
        func move(_ path: RequestPath, _ file: String) async throws {
            if words[0] == "download" {
                _ = try await provider.download(Body(baseURL: url, path: path), to: file)
            } else {
                _ = try await provider.request(
                    Body(baseURL: url, path: path, method: .put, task: .file(file)))
            }
        }
        for _ in 0..<4 { try await move("/warm", file + ".warm") }
        let before = resetPeak()
        let start = ContinuousClock.now
        try await move("/large", file)
        let seconds = start.duration(to: .now) / .seconds(1)
        print(before, peak(), seconds)
    }

    /// Resets the peak to the current resident memory and returns it.
    private static func resetPeak() -> Int {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        // proc(5): 5 resets the peak.
        guard descriptor >= 0, write(descriptor, "5", 1) == 1 else {
            FileHandle.standardError.write(Data("cannot reset the peak of memory\n".utf8))
            exit(1)
        }
        close(descriptor)
        return peak()
    }

    private static func peak() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let word = line?.split(whereSeparator: \.isWhitespace).dropFirst().first, let number = Int(word)
        else { fatalError("cannot read the peak of memory") }
        return number
    }
}
