import EventIO
import Foundation
import TestSupport
import Testing

@testable import GatewayHTTP

/// The socket of a service manager, as systemd has one.
private final class ManagerSocket {
    private let descriptor: Int32

    /// - Parameter name: a path, or `@` and an abstract name.
    init(_ name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: Int(Patience.limit / .seconds(1)), tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: path)
            if path[0] == UInt8(ascii: "@") { $0[0] = 0 }
        }
        let length =
            MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + path.count
            + (path[0] == UInt8(ascii: "@") ? 0 : 1)
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(length))
            }
        }
        try #require(result == 0, "bind: \(errno)")
    }

    deinit { close(descriptor) }

    /// The next message, without `WATCHDOG=1` unless it is asked for. Nil if none comes.
    func next(watchdog: Bool = false) -> [String]? {
        while true {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
            if watchdog || lines != ["WATCHDOG=1"] { return lines.map(String.init) }
        }
    }
}

@Suite("A service manager", .timeLimit(.minutes(1)))
struct ServiceManagerTests {
    private let scratch = ScratchFolder()

    @Test("Only a path or an abstract name is its socket, and only a time for this process is its watchdog")
    func environment() {
        #expect(ServiceManager([:]) == nil)
        for name in ["", "/", "@", "run/notify", "vsock:2:3", "/" + String(repeating: "a", count: 107)] {
            #expect(ServiceManager(["NOTIFY_SOCKET": name]) == nil, "\(name)")
        }
        func watchdog(_ more: [String: String]) -> Duration? {
            ServiceManager(more.merging(["NOTIFY_SOCKET": "/run/notify"]) { $1 })?.watchdog
        }
        #expect(watchdog([:]) == nil)
        for time in ["", "0", "-5", "30s"] { #expect(watchdog(["WATCHDOG_USEC": time]) == nil) }
        #expect(watchdog(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]) == nil)
        #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(30))
    }

    @Test(
        "It hears that the program is ready, reloads, and stops, with the generation in use",
        arguments: [false, true])
    func phases(isAbstract: Bool) throws {
        let name = isAbstract ? "@sluice-test-\(UUID().uuidString)" : scratch.file("notify")
        let manager = try ManagerSocket(name)
        let path = scratch.file("sluice.yaml")
        func write(_ text: String) throws {
            try "version: 1\nendpoints: [{get: /a, \(text)}]\n".write(
                toFile: path, atomically: true, encoding: .utf8)
        }
        try write("parts: {is: {value: 1}}")
        let process = try SluiceProcess(
            ["serve", "--config", path, "--port", "0", "--drain-delay", "0"],
            environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "20000"])
        _ = try process.readPort()
        #expect(manager.next() == ["READY=1", "STATUS=ready, generation 1"])
        #expect(manager.next(watchdog: true) == ["WATCHDOG=1"])

        func reload() throws -> [String]? {
            process.signal(SIGHUP)
            let begin = try #require(manager.next())
            #expect(begin.first == "RELOADING=1" && begin.last == "STATUS=reloading")
            #expect(begin.count == 3 && begin[1].wholeMatch(of: /MONOTONIC_USEC=[0-9]+/) != nil)
            return manager.next()
        }
        try write("parts: {is: {valeu: 2}}")
        #expect(try reload() == ["READY=1", "STATUS=ready, generation 1, the last reload was refused"])
        try write("parts: {is: {value: 2}}")
        #expect(try reload() == ["READY=1", "STATUS=ready, generation 2"])

        process.signal(SIGTERM)
        #expect(manager.next() == ["STOPPING=1", "STATUS=draining"])
        #expect(process.finish().exitCode == 0)
    }

    @Test("Once it hears READY=1, the gateway and its admin listener answer")
    func ready() throws {
        let name = scratch.file("notify")
        let manager = try ManagerSocket(name)
        let process = try SluiceProcess(
            ["serve", "--port", "0", "--drain-delay", "0"],
            environment: ["NOTIFY_SOCKET": name, "SLUICE_ADMIN": "127.0.0.1:0"])
        let port = try process.readPort()
        #expect(manager.next() == ["READY=1", "STATUS=ready"])
        let admin = try process.readAdminPort()
        for port in [port, admin] {
            #expect(try curl("http://127.0.0.1:\(port)/health/ready").status == 200)
        }
        process.signal(SIGTERM)
        #expect(process.finish().exitCode == 0)
    }

    @Test("It hears nothing from the watchdog of a blocked loop, and WATCHDOG=1 once the loop runs again")
    func blockedLoop() throws {
        let groups = (blocked: try EventLoopGroup(count: 1), free: try EventLoopGroup(count: 1))
        let names = (blocked: scratch.file("blocked"), free: scratch.file("free"))
        let sockets = (blocked: try ManagerSocket(names.blocked), free: try ManagerSocket(names.free))
        let release = DispatchSemaphore(value: 0)
        defer {
            release.signal()
            groups.blocked.shutdown()
            groups.free.shutdown()
        }
        groups.blocked.loops[0].execute { _ = release.wait(timeout: .now() + 30) }
        func manager(_ name: String) throws -> ServiceManager {
            try #require(ServiceManager(["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000"]))
        }
        let silent = try manager(names.blocked)
        let first = try #require(try Watchdog(silent, groups.blocked.loops))
        defer { first.end() }
        let second = try #require(try Watchdog(try manager(names.free), groups.free.loops))
        defer { second.end() }
        for _ in 0..<10 { #expect(sockets.free.next(watchdog: true) == ["WATCHDOG=1"]) }
        silent.send("STATUS=blocked")
        #expect(sockets.blocked.next(watchdog: true) == ["STATUS=blocked"])
        release.signal()
        #expect(sockets.blocked.next(watchdog: true) == ["WATCHDOG=1"])
    }

    @Test("It hears of a reload that the program asks for in Swift, and of one that fails")
    func reloadInSwift() throws {
        let name = scratch.file("notify")
        let manager = try ManagerSocket(name)
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.drainDelay = .zero
        configuration.logLevel = .error
        configuration.accessLog = false
        let server = try GatewayServer(configuration) { _ in }
        server.tell(ServiceManager(["NOTIFY_SOCKET": name]))
        server.accept()
        #expect(manager.next() == ["READY=1", "STATUS=ready"])
        try server.reload()
        #expect(manager.next()?.first == "RELOADING=1")
        #expect(manager.next() == ["READY=1", "STATUS=ready"])
        server.drain()
        #expect(manager.next() == ["STOPPING=1", "STATUS=draining"])
        server.waitUntilStopped()
    }

    @Test("A beat finds a loop that blocks, as long as it does")
    func beats() async throws {
        let (loops, own) = (try EventLoopGroup(count: 2), try EventLoopGroup(count: 1))
        let release = DispatchSemaphore(value: 0)
        let (beats, sender) = AsyncStream<Bool>.makeStream()
        let pulses = LoopBound(on: own.loops[0]) { [loop = own.loops[0]] in
            LoopPulses(on: loop, every: .milliseconds(1)) { sender.yield($0) }
        }
        try await own.loops[0].perform { pulses.value.begin(loops.loops) }
        var beat = beats.makeAsyncIterator()
        while await beat.next() == false {}
        loops.loops[1].execute { _ = release.wait(timeout: .now() + 30) }
        while await beat.next() == true {}
        // The other loop answers each of them.
        for _ in 0..<20 { #expect(await beat.next() == false) }
        release.signal()
        while await beat.next() == false {}
        try await own.loops[0].perform { pulses.value.end() }
        await Task.detached {
            own.shutdown()
            loops.shutdown()
        }.value
    }
}
