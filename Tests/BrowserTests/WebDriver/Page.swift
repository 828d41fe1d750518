import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport

/// A browser window, which is a WebDriver session.
final class Page: Sendable {
    private let browser: Browser
    private let session: String
    /// The browser's process ID.
    let process: Int

    init(browser: Browser, session: String, process: Int) {
        self.browser = browser
        self.session = session
        self.process = process
    }

    func close() async throws {
        _ = try await send(.session(session, .delete))
    }

    /// Clears storage and logs for the next test.
    func reset() async throws {
        let origin = try await run("return location.origin", as: String.self)
        try await open("about:blank")
        if origin.hasPrefix("http") {
            try await devTools(
                "Storage.clearDataForOrigin", ["origin": .text(origin), "storageTypes": "all"])
        }
        _ = try await log(.browser)
        _ = try await log(.performance)
    }

    func open(_ url: String) async throws {
        _ = try await send(.session(session, .navigate(to: url)))
    }

    func reload() async throws {
        _ = try await send(.session(session, .refresh))
    }

    /// Runs `body` in another window of the same browser, for the same visitor, with a function that returns
    /// to the first one and back.
    func withOtherWindow(
        _ body: (_ turn: () async throws -> Void) async throws -> Void
    ) async throws {
        let first = try await handle(of: send(.session(session, .window)))
        let other = try await handle(of: send(.session(session, .newWindow))[member: "handle"])
        var current = other
        func turn() async throws {
            current = current == first ? other : first
            _ = try await send(.session(session, .switchTo(window: current)))
        }
        _ = try await send(.session(session, .switchTo(window: other)))
        try await body(turn)
        if current != other { try await turn() }
        _ = try await send(.session(session, .closeWindow))
        _ = try await send(.session(session, .switchTo(window: first)))
    }

    private func handle(of answer: JSONFragment?) throws -> String {
        guard let handle = answer?.stringValue else {
            throw PeerFailure(description: "the driver names no window")
        }
        return handle
    }

    subscript(selector: String) -> Element { Element(page: self, selector: selector) }

    func references(_ selector: String) async throws -> [String] {
        try await send(.session(session, .findElements(css: selector))).elements
            .compactMap { $0.members.first?.value.stringValue }
    }

    func count(_ selector: String) async throws -> Int { try await references(selector).count }

    /// Runs a function body in the page and awaits its promise.
    @discardableResult
    func run(_ script: String, _ arguments: ParameterValue = []) async throws -> JSONFragment {
        try await send(.session(session, .execute(script: script, arguments: arguments)))
    }

    func run<Value: Decodable & Sendable>(
        _ script: String, _ arguments: ParameterValue = [], as type: Value.Type
    ) async throws -> Value {
        try await request(.session(session, .execute(script: script, arguments: arguments)))
            .map(type, atKeyPath: "value")
            .value(orThrowing: WebDriverError.init)
    }

    func send(_ command: WebDriver.ElementCommand, to element: String) async throws -> JSONFragment {
        try await send(.element(session: session, element: element, command))
    }

    func perform(_ actions: ParameterValue) async throws {
        _ = try await send(.session(session, .perform(actions: actions)))
    }

    /// Grants a permission, such as `clipboard-read`, before the page asks for it.
    func permit(_ permission: String) async throws {
        _ = try await send(.session(session, .permit(permission)))
    }

    /// Returns the log entries since the last call.
    func log(_ kind: WebDriver.LogKind) async throws -> [JSONFragment] {
        try await send(.session(session, .log(kind))).elements
    }

    /// Sends a DevTools protocol command, such as `Emulation.setEmulatedMedia`.
    @discardableResult
    func devTools(_ command: String, _ parameters: ParameterValue = [:]) async throws -> JSONFragment {
        try await send(.session(session, .devTools(command: command, parameters: parameters)))
    }

    private func send(_ command: WebDriver) async throws -> JSONFragment {
        try await request(command).fragment(at: "/value").value(orThrowing: WebDriverError.init)
    }

    private func request(_ command: WebDriver) -> Single<Response> {
        browser.commands.rx.request(command)
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element: Sendable {
    /// The value. Errors are translated by `reading`, or rethrown unchanged if it returns nil.
    fileprivate func value(
        orThrowing reading: @escaping @Sendable (any Error) -> (any Error)?
    ) async throws -> Element {
        do { return try await value } catch { throw reading(error) ?? error }
    }
}
