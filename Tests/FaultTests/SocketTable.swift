import Foundation
import TestSupport

/// The kernel's table of TCP sockets. It shows the sockets that one gateway has not closed, even while other
/// tests run.
enum SocketTable {
    /// Counts the owned sockets of a server's accepted connections and of connections to these loopback
    /// ports.
    static func sockets(from server: UInt16, orTo upstreams: [UInt16]) -> Int {
        guard let table = try? String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8) else {
            return -1
        }
        return table.split(separator: "\n").dropFirst().count { line in
            // Columns: sl local remote state queues timer retransmits user timeout inode. A socket without an
            // owner has inode 0.
            let words = line.split(separator: " ")
            guard words.count > 9, words[9] != "0", let local = port(words[1]), let remote = port(words[2])
            else { return false }
            return local == server && words[3] != listening || upstreams.contains(remote)
        }
    }

    private static let listening: Substring = "0A"

    /// Returns the port of an address in hexadecimal: 8080 for `0100007F:1F90`.
    private static func port(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
}

/// Whether a condition becomes true within a limit, which is longer under sanitizers.
func comesTrue(within limit: Duration, _ condition: () -> Bool) -> Bool {
    (try? spin(while: !condition(), within: limit * Sanitizer.slowdown) { "" }) != nil
}
