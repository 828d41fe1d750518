import Glibc
import Testing

@testable import EventIO

@Suite("Addresses, times and process limits")
struct AddressTests {
    @Test(
        "Text that is not a numeric address is rejected",
        arguments: [
            "", "localhost", "127.0.0", "127.0.0.1.", "256.0.0.1", "1:2", "[127.0.0.1]", "::1%", "a.b::",
        ])
    func notNumeric(text: String) {
        #expect(SocketAddress(host: text, port: 80) == nil)
    }

    @Test("Ports outside 0...65535 are rejected")
    func badPorts() {
        #expect(SocketAddress(host: "127.0.0.1", port: 65_536) == nil)
        #expect(SocketAddress(host: "127.0.0.1", port: -1) == nil)
    }

    @Test("Unix paths that are empty, too long or contain a NUL are rejected")
    func badPaths() throws {
        for path in ["", String(repeating: "x", count: 108), "a\0b"] {
            #expect(throws: SocketError.self) { try SocketAddress(unixPath: path) }
        }
        #expect(try SocketAddress(unixPath: String(repeating: "x", count: 107)).port == nil)
    }

    @Test("Addresses survive a round trip through sockaddr and print as written")
    func roundTrip() throws {
        let texts = [
            ("127.0.0.1", "127.0.0.1:80"), ("10.1.2.255", "10.1.2.255:80"), ("::1", "[::1]:80"),
            ("[2001:db8::7]", "[2001:db8::7]:80"),
        ]
        for (text, description) in texts {
            let address = try #require(SocketAddress(host: text, port: 80))
            #expect(address.description == description)
            #expect(address.port == 80)
            let copy = address.withUnsafeSockaddr { SocketAddress($0, length: $1) }
            #expect(copy == address)
        }
        let unix = try SocketAddress(unixPath: "/run/sluice.sock")
        #expect(unix.description == "unix:/run/sluice.sock")
        #expect(unix.withUnsafeSockaddr { SocketAddress($0, length: $1) } == unix)
    }

    @Test("isLoopback recognizes loopback addresses only")
    func loopback() throws {
        #expect(try #require(SocketAddress(host: "127.9.9.9", port: 1)).isLoopback)
        #expect(try #require(SocketAddress(host: "::1", port: 1)).isLoopback)
        #expect(try #require(SocketAddress(host: "128.0.0.1", port: 1)).isLoopback == false)
    }

    @Test("Time arithmetic saturates")
    func timeSaturates() {
        let now = MonotonicTime(nanoseconds: 5)
        #expect(now + TimeAmount(nanoseconds: .max) == .distantFuture)
        #expect(MonotonicTime.distantFuture + .seconds(1) == .distantFuture)
        #expect(TimeAmount.seconds(.max).nanoseconds == .max)
        #expect(TimeAmount(Duration.seconds(Int64.max)).nanoseconds == .max)
        #expect(TimeAmount(Duration.milliseconds(-1_500)) == .milliseconds(-1_500))
        #expect(TimeAmount(.microseconds(7)).duration == .microseconds(7))
        #expect(now - .seconds(1) < now)
    }

    @Test("Cores are counted from the affinity list")
    func affinity() {
        #expect(ProcessLimits.coresAllowed(byStatus: "Name:\tx\nCpus_allowed_list:\t0-3,8\nMems:\t1\n") == 5)
        #expect(ProcessLimits.coresAllowed(byStatus: "Cpus_allowed_list:\t7\n") == 1)
        #expect(ProcessLimits.coresAllowed(byStatus: "Cpus_allowed_list:\t\n") == nil)
        #expect(ProcessLimits.coresAllowed(byStatus: "") == nil)
    }

    @Test("Resident memory is read from statm, and is 0 if that cannot be read")
    func residentMemory() {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        #expect(ProcessLimits.residentMemory(in: "5120 300 200 10 0 400 0\n") == 300 * page)
        #expect(ProcessLimits.residentMemory(in: "") == 0)
        #expect(ProcessLimits.residentMemory() > 1 << 20)
    }

    @Test("Cores are limited by cpu.max of the group and its ancestors")
    func controlGroups() {
        #expect(ProcessLimits.coresLeft(byQuota: "max 100000\n") == nil)
        #expect(ProcessLimits.coresLeft(byQuota: "") == nil)
        #expect(ProcessLimits.coresLeft(byQuota: "200000 100000\n") == 2)
        #expect(ProcessLimits.coresLeft(byQuota: "150000 100000\n") == 2)
        #expect(ProcessLimits.coresLeft(byQuota: "10000 100000\n") == 1)
        #expect(ProcessLimits.coresLeft(byQuota: "9223372036854775807 2\n") == 4_611_686_018_427_387_904)
        #expect(ProcessLimits.coresLeft(byQuota: "9223372036854775808 100000\n") == nil)
        #expect(ProcessLimits.controlGroup(in: "12:cpu:/old\n0::/a.slice/b\n") == "/a.slice/b")
        #expect(ProcessLimits.controlGroup(in: "") == "/")
        #expect(ProcessLimits.ancestors(of: "/a.slice/b") == ["/a.slice/b", "/a.slice", ""])
        #expect(ProcessLimits.ancestors(of: "/") == [""])
        #expect(ProcessLimits.usableCores() >= 1)
    }

    @Test("raiseDescriptorLimit raises the soft limit to the hard limit")
    func descriptorLimit() {
        let limit = ProcessLimits.raiseDescriptorLimit()
        #expect(limit >= 256)
        #expect(ProcessLimits.raiseDescriptorLimit() == limit)
    }
}
