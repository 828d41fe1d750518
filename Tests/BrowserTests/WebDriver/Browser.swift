import Foundation
import Glibc
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport

/// A chromedriver of our own, on a port that it chooses, and the windows of its browser.
final class Browser: Sendable {
    /// chromedriver or the browser is not there.
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not installed; `make test-browser` installs it on Debian" }
    }

    /// What a browser is told when it starts, and not later.
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

    init() async throws {
        guard let chromedriver = PeerProcess.find("chromedriver") else { throw Missing(name: "chromedriver") }
        guard let program = PeerProcess.find("chromium", "google-chrome") else {
            throw Missing(name: "chromium")
        }
        self.program = program
        folder = ScratchFolder()
        // What it writes to its home and to the folder for temporary files goes with the scratch folder.
        driver = try PeerProcess(
            chromedriver, ["--port=0"], environment: ["HOME": folder.path, "TMPDIR": folder.path], in: folder)
        let port = try await Self.port(of: driver)
        var configuration = Session.Configuration()
        // The driver is on this machine, whatever the environment says of proxies.
        configuration.connections.proxy = .none
        // A picture of a whole page, in base 64.
        configuration.limits.responseBody = 64 << 20
        connections = try Session(configuration)
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(60)
        policy.attemptLimits.firstByte = .seconds(60)
        // A command is done once, or has failed.
        policy.retry = .never
        commands = try Provider(
            upstream: "chromedriver", baseURL: "http://127.0.0.1:\(port)", session: connections,
            policy: policy)
    }

    /// A window, for as long as `test` runs: one at a time. What it was used for before is nothing that it knows of.
    func withPage(_ look: Look, _ test: @Sendable (Page) async throws -> Void) async throws {
        let page = try await page(look)
        do {
            try await page.show(look)
            try await test(page)
            try await page.reset()
        } catch {
            // It may be in any state: the next test has another one.
            windows.withLock { $0[Window(look)] = nil }
            try? await page.close()
            throw error
        }
    }

    private func page(_ look: Look) async throws -> Page {
        if let page = windows.withLock({ $0[Window(look)] }) { return page }
        let answer = try await commands.rx.request(.newSession(capabilities: capabilities(Window(look))))
            .map(NewSession.self, atKeyPath: "value")
            .value
        let page = Page(
            browser: self, session: answer.sessionId, process: answer.capabilities.processID ?? 0)
        windows.withLock { $0[Window(look)] = page }
        return page
    }

    /// Ends the windows, then the driver, and waits for their end.
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

    /// Ends the driver alone, as where a test is ended in its midst. A browser that is still there sees the end of its pipe, and
    /// ends too.
    func abandon() async {
        connections.close()
        driver.stop()
        await ends(windows.withLock { Array($0.values) })
    }

    private func ends(_ pages: [Page]) async {
        for page in pages {
            try? await eventually("the browser has ended") { kill(pid_t(page.process), 0) != 0 }
        }
        // Its own processes may still write a little.
        try? await eventually("nobody writes into the folder") {
            try? FileManager.default.removeItem(atPath: folder.path)
            return !FileManager.default.fileExists(atPath: folder.path)
        }
    }

    private func capabilities(_ window: Window) -> ParameterValue {
        var arguments = [
            "--headless=new", "--user-data-dir=\(folder.path)/\(UUID().uuidString)",
            // In place of a port: who comes to its end with the driver leaves no browser behind.
            "--remote-debugging-pipe",
            "--lang=\(window.language.rawValue)",
            "--accept-lang=\(window.language.rawValue),\(window.language.code)",
            "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
            "--disable-sync", "--no-default-browser-check", "--no-proxy-server", "--no-first-run",
            "--force-color-profile=srgb",
            "--hide-scrollbars", "--font-render-hinting=none",
        ]
        // Its sandbox wants a user who is not root.
        if geteuid() == 0 { arguments.append("--no-sandbox") }
        return [
            "browserName": "chrome",
            "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
            "goog:chromeOptions": [
                "binary": .text(program),
                "args": arguments.parameterValue,
                "prefs": [
                    "webkit.webprefs.default_font_size": .integer(Int64(window.fontSize)),
                    "intl.accept_languages": .text("\(window.language.rawValue),\(window.language.code)"),
                ],
            ],
        ]
    }

    private static func port(of driver: PeerProcess) async throws -> Int {
        // A machine that has just built all this reads the driver from its disk again.
        try await answer("chromedriver says its port", within: .seconds(60)) {
            driver.log.firstMatch(of: /started successfully on port (\d+)/).flatMap { Int($0.1) }
        }
    }
}
