import HTTPModel
import JSONBytes
import Networking
import Rx

/// A window of the browser: a session of WebDriver.
final class Page: Sendable {
    private let browser: Browser
    private let session: String
    /// Of the browser.
    let process: Int

    init(browser: Browser, session: String, process: Int) {
        self.browser = browser
        self.session = session
        self.process = process
    }

    /// Ends the browser.
    func close() async throws {
        _ = try await send(.session(session, .delete))
    }

    /// Forgets what it was used for: the next test has a window like new.
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

    /// The first element that a CSS selector selects, looked for anew by each use.
    subscript(selector: String) -> Element { Element(page: self, selector: selector) }

    /// The elements that a CSS selector selects now.
    func references(_ selector: String) async throws -> [String] {
        try await send(.session(session, .findElements(css: selector))).elements
            .compactMap { $0.members.first?.value.stringValue }
    }

    func count(_ selector: String) async throws -> Int { try await references(selector).count }

    /// Runs the body of a function in the page; a promise is waited for.
    @discardableResult
    func run(_ script: String, _ arguments: ParameterValue = []) async throws -> JSONFragment {
        try await send(.session(session, .execute(script: script, arguments: arguments)))
    }

    /// The same, decoded.
    func run<Value: Decodable & Sendable>(
        _ script: String, _ arguments: ParameterValue = [], as type: Value.Type
    ) async throws -> Value {
        try await request(.session(session, .execute(script: script, arguments: arguments)))
            .map(type, atKeyPath: "value")
            .value(orThrowing: WebDriverError.init)
    }

    /// What the element with this reference is told or asked.
    func send(_ command: WebDriver.ElementCommand, to element: String) async throws -> JSONFragment {
        try await send(.element(session: session, element: element, command))
    }

    func perform(_ actions: ParameterValue) async throws {
        _ = try await send(.session(session, .perform(actions: actions)))
    }

    /// Answers the page's question for a permission, `clipboard-read` and the like, before it is asked.
    func permit(_ permission: String) async throws {
        _ = try await send(.session(session, .permit(permission)))
    }

    /// What was logged since it was last asked for.
    func log(_ kind: WebDriver.LogKind) async throws -> [JSONFragment] {
        try await send(.session(session, .log(kind))).elements
    }

    /// A command of the DevTools protocol: `Emulation.setEmulatedMedia` and the like.
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
    /// The value; a failure as what `reading` makes of it, where it makes something of it.
    fileprivate func value(
        orThrowing reading: @escaping @Sendable (any Error) -> (any Error)?
    ) async throws -> Element {
        do { return try await value } catch { throw reading(error) ?? error }
    }
}
