import Foundation
import Glibc
import TestSupport
import Testing

/// Runs all faults in a separate process, so that its resources can be counted.
@Suite("A process and all faults", .timeLimit(.minutes(3)))
struct ProcessTests {
    @Test(
        "A second run of all faults leaves no descriptor open and uses little more memory"
    )
    func holdsNoMore() async {
        await #expect(processExitsWith: .success) {
            // The first run creates threads, queues and arenas, which stay.
            try await Self.meetAll()
            let (descriptors, memory) = (Self.descriptors, Self.residentKilobytes)
            try await Self.meetAll()
            // The threads of scripted peers close their sockets with a delay.
            #expect(comesTrue(within: .seconds(5)) { Self.descriptors <= descriptors })
            // Under a sanitizer most of the memory belongs to the sanitizer.
            if Sanitizer.isOn { return }
            let grown = Self.residentKilobytes - memory
            #expect(grown < 64 << 10, "\(grown) KB more, \(memory) before")
            // Endless responses are not buffered, so concurrent cases stay below this peak.
            let peak = Self.peakKilobytes
            #expect(peak < 512 << 10, "\(peak) KB at the most")
        }
    }

    private static func meetAll() async throws {
        try await withThrowingTaskGroup(of: [String].self) { group in
            for fault in UpstreamFault.listed + UpstreamFault.further {
                group.addTask {
                    try await BlockingThreads.run { try UpstreamFaultRun.complaints(fault, at: .a) }
                }
            }
            for fault in UpstreamFault.listed + UpstreamFault.further + UpstreamFault.ofTLS {
                group.addTask {
                    try await BlockingThreads.run {
                        try UpstreamFaultRun.complaints(fault, at: .b, over: .https)
                    }
                }
            }
            for fault in ClientFault.listed + ClientFault.further {
                group.addTask { try await BlockingThreads.run { try ClientFaultRun.complaints(fault) } }
            }
            for try await complaints in group {
                #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
            }
        }
    }

    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static var residentKilobytes: Int { status("VmRSS:") }
    private static var peakKilobytes: Int { status("VmHWM:") }

    private static func status(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { preconditionFailure("the kernel does not report \(name)") }
        return number
    }
}
