import Foundation
import Glibc
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport

/// A chromedriver on a port of its choice, and its browser windows.
final class Browser: Sendable {
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not installed; `make test-browser` installs it on Debian" }
    }

    /// Settings that a browser takes only at its start.
    private struct Window: Hashable {
        let language: Look.Language
        let fontSize: Int

        init(_ look: Look) {
            language = look.language
            fontSize = look.fontSize
        }
    }

    private struct NewSession: Decodable {
        struct Capabilities: Decodable {
            var processID: Int?

            enum CodingKeys: String, CodingKey { case processID = "goog:processID" }
        }

        var sessionId: String
        var capabilities: Capabilities
    }

    private let windows = Lock<[Window: Page]>([:])
    private let driver: PeerProcess
    private let folder: ScratchFolder
    private let program: String
    private let connections: Session
    let commands: Provider<WebDriver>

    /// - Parameter authority: A certificate in PEM. The browser trusts those that it has issued, too.
    init(trusting authority: String? = nil) async throws {
        guard let chromedriver = PeerProcess.find("chromedriver") else { throw Missing(name: "chromedriver") }
        guard let program = PeerProcess.find("chromium", "google-chrome") else {
            throw Missing(name: "chromium")
        }
        self.program = program
        folder = ScratchFolder()
        if let authority { try Self.trust(authority, in: folder) }
        let (driver, port) = try await Self.start(chromedriver, in: folder)
        self.driver = driver
        var configuration = Session.Configuration()
        // The driver is local, so proxies of the environment are ignored.
        configuration.connections.proxy = .none
        // Room for a screenshot of a whole page in base64.
        configuration.limits.responseBody = 64 << 20
        connections = try Session(configuration)
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(60)
        policy.attemptLimits.firstByte = .seconds(60)
        // Commands are not idempotent.
        policy.retry = .never
        commands = try Provider(
            upstream: "chromedriver", baseURL: "http://127.0.0.1:\(port)", session: connections,
            policy: policy)
    }

    /// Runs `test` with a clean window. One test at a time.
    func withPage(_ look: Look, _ test: @Sendable (Page) async throws -> Void) async throws {
        let page = try await page(look)
        do {
            try await page.show(look)
            try await test(page)
            try await page.reset()
        } catch {
            // The window may be in any state, so the next test gets a new one.
            windows.withLock { $0[Window(look)] = nil }
            try? await page.close()
            throw error
        }
    }

    /// Runs `test` with a browser of its own, as a visitor whom no other one meets. Several may run at once.
    ///
    /// - Parameter acceptsEach: Whether the browser accepts each certificate, as a user who clicks through
    ///   its warning.
    func withOwnPage(
        _ look: Look, acceptsEach: Bool = false, _ test: @Sendable (Page) async throws -> Void
    ) async throws {
        let page = try await start(look, acceptsEach: acceptsEach)
        do {
            try await page.show(look)
            try await test(page)
        } catch {
            try? await page.close()
            throw error
        }
        try await page.close()
    }

    private func page(_ look: Look) async throws -> Page {
        if let page = windows.withLock({ $0[Window(look)] }) { return page }
        let page = try await start(look)
        windows.withLock { $0[Window(look)] = page }
        return page
    }

    private func start(_ look: Look, acceptsEach: Bool = false) async throws -> Page {
        let wanted = capabilities(Window(look), acceptsEach: acceptsEach)
        let answer = try await commands.rx.request(.newSession(capabilities: wanted))
            .map(NewSession.self, atKeyPath: "value")
            .value
        return Page(browser: self, session: answer.sessionId, process: answer.capabilities.processID ?? 0)
    }

    /// Closes the windows, stops the driver and waits for the browsers to exit.
    func stop() async {
        let pages = windows.withLock { windows in
            defer { windows = [:] }
            return Array(windows.values)
        }
        for page in pages { try? await page.close() }
        connections.close()
        driver.stop()
        await ends(pages)
    }

    /// Stops only the driver, as if a test run were killed. The browser sees its pipe close and exits too.
    func abandon() async {
        connections.close()
        driver.stop()
        await ends(windows.withLock { Array($0.values) })
    }

    private func ends(_ pages: [Page]) async {
        for page in pages {
            try? await eventually("the browser has exited") { kill(pid_t(page.process), 0) != 0 }
        }
        // The browser's child processes may still be writing.
        try? await eventually("the folder is removed") {
            try? FileManager.default.removeItem(atPath: folder.path)
            return !FileManager.default.fileExists(atPath: folder.path)
        }
    }

    private func capabilities(_ window: Window, acceptsEach: Bool) -> ParameterValue {
        var arguments = [
            "--headless=new", "--user-data-dir=\(folder.path)/\(UUID().uuidString)",
            // A pipe instead of a port: the browser exits when the driver does.
            "--remote-debugging-pipe",
            "--lang=\(window.language.rawValue)",
            "--accept-lang=\(window.language.rawValue),\(window.language.code)",
            "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
            "--disable-sync", "--no-default-browser-check", "--no-proxy-server", "--no-first-run",
            "--force-color-profile=srgb",
            "--hide-scrollbars", "--font-render-hinting=none",
            // Names for tests (RFC 6761) are this machine. The browser remembers no HSTS for addresses.
            "--host-resolver-rules=MAP *.test 127.0.0.1",
        ]
        // The sandbox does not work as root.
        if geteuid() == 0 { arguments.append("--no-sandbox") }
        return [
            "browserName": "chrome",
            "acceptInsecureCerts": .flag(acceptsEach),
            // Milliseconds. Shorter than the command's own limit, so that the driver says which script took
            // too long.
            "timeouts": ["script": .integer(55_000)],
            "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
            "goog:chromeOptions": [
                "binary": .text(program),
                "args": arguments.parameterValue,
                "prefs": [
                    "webkit.webprefs.default_font_size": .integer(Int64(window.fontSize)),
                    "intl.accept_languages": .text("\(window.language.rawValue),\(window.language.code)"),
                    // Pages of other sites send cookies, too. A browser that blocks those would hide a gap.
                    "profile.cookie_controls_mode": 0,
                ],
            ],
        ]
    }

    /// Adds an authority to the certificate store of the browser's user, whose home is the folder.
    private static func trust(_ authority: String, in folder: ScratchFolder) throws {
        guard let certutil = PeerProcess.find("certutil") else { throw Missing(name: "certutil") }
        let database = folder.file(".pki/nssdb")
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
        try authority.write(toFile: folder.file("authority.pem"), atomically: true, encoding: .utf8)
        for arguments in [
            ["-N", "--empty-password"],
            ["-A", "-n", "authority", "-t", "C,,", "-i", folder.file("authority.pem")],
        ] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: certutil)
            process.arguments = arguments + ["-d", "sql:\(database)"]
            try process.run()
            process.waitForEnd()
            guard process.terminationStatus == 0 else {
                throw PeerFailure(description: "certutil: exit status \(process.terminationStatus)")
            }
        }
    }

    /// Starts the driver and returns it with its port.
    ///
    /// The driver binds its port on `::1` and on 127.0.0.1, and exits if another program uses one of them.
    /// With `--port=0` it asks only for a port that is free on `::1`, so a port that is free on both is
    /// chosen here. If another program takes it before the driver does, the driver is started again, at most
    /// five times.
    private static func start(
        _ program: String, in folder: ScratchFolder
    ) async throws -> (driver: PeerProcess, port: Int) {
        for _ in 1...5 {
            // The driver's files are removed with the scratch folder.
            let driver = try PeerProcess(
                program, ["--port=\(freePort())"],
                environment: ["HOME": folder.path, "TMPDIR": folder.path], in: folder)
            // Right after a build the page cache is cold, and the driver starts slowly.
            let start = try await answer("chromedriver logs its port", within: .seconds(60)) {
                Start(log: driver.log)
            }
            if case .listening(let port) = start { return (driver, port) }
            driver.stop()
        }
        throw PeerFailure(description: "chromedriver found no free port in five starts")
    }

    /// Returns a port that is free on 127.0.0.1 and on `::1`; 0 if a hundred attempts find none.
    private static func freePort() -> UInt16 {
        for _ in 1...100 {
            guard let fourth = try? ScriptedUpstream(.closed, []) else { break }
            defer { fourth.stop() }
            if let sixth = try? ScriptedUpstream(.closed, [], host: 0, port: fourth.port) {
                sixth.stop()
                return fourth.port
            }
        }
        return 0
    }

    private enum Start {
        case listening(port: Int)
        case portTaken

        /// nil if the driver is still starting.
        init?(log: String) {
            if let line = log.firstMatch(of: /started successfully on port (\d+)/), let port = Int(line.1) {
                self = .listening(port: port)
            } else if log.contains("port not available") {
                self = .portTaken
            } else {
                return nil
            }
        }
    }
}
