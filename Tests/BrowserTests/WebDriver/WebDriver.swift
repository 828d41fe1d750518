import HTTPModel
import Networking

/// The W3C WebDriver commands in use, one from the Permissions API, and two chromedriver extensions: logs and
/// DevTools.
enum WebDriver: TargetType {
    case newSession(capabilities: ParameterValue)
    case session(String, SessionCommand)
    case element(session: String, element: String, ElementCommand)

    enum SessionCommand: Sendable {
        case delete
        case navigate(to: String)
        case refresh
        case window
        case newWindow
        case switchTo(window: String)
        case closeWindow
        case findElements(css: String)
        case execute(script: String, arguments: ParameterValue)
        case perform(actions: ParameterValue)
        case permit(String)
        case log(LogKind)
        case devTools(command: String, parameters: ParameterValue)
    }

    enum ElementCommand: Sendable {
        case click
        case clear
        case sendKeys(String)
        case text
        case attribute(String)
        case property(String)
        case isDisplayed
        case isEnabled
        case computedRole
        case computedLabel
    }

    enum LogKind: String, ParameterConvertible {
        /// The console: page, network and security messages.
        case browser
        /// DevTools protocol events, each a JSON text.
        case performance
    }

    // The provider replaces it, because it knows the driver's port.
    var baseURL: String { "http://127.0.0.1" }

    var path: RequestPath {
        switch self {
        case .newSession: "/session"
        case .session(let id, .delete): "/session/\(id)"
        case .session(let id, .navigate): "/session/\(id)/url"
        case .session(let id, .refresh): "/session/\(id)/refresh"
        case .session(let id, .window), .session(let id, .switchTo), .session(let id, .closeWindow):
            "/session/\(id)/window"
        case .session(let id, .newWindow): "/session/\(id)/window/new"
        case .session(let id, .findElements): "/session/\(id)/elements"
        case .session(let id, .execute): "/session/\(id)/execute/sync"
        case .session(let id, .perform): "/session/\(id)/actions"
        case .session(let id, .permit): "/session/\(id)/permissions"
        case .session(let id, .log): "/session/\(id)/se/log"
        case .session(let id, .devTools): "/session/\(id)/goog/cdp/execute"
        case .element(let id, let element, .click): "/session/\(id)/element/\(element)/click"
        case .element(let id, let element, .clear): "/session/\(id)/element/\(element)/clear"
        case .element(let id, let element, .sendKeys): "/session/\(id)/element/\(element)/value"
        case .element(let id, let element, .text): "/session/\(id)/element/\(element)/text"
        case .element(let id, let element, .attribute(let name)):
            "/session/\(id)/element/\(element)/attribute/\(name)"
        case .element(let id, let element, .property(let name)):
            "/session/\(id)/element/\(element)/property/\(name)"
        case .element(let id, let element, .isDisplayed): "/session/\(id)/element/\(element)/displayed"
        case .element(let id, let element, .isEnabled): "/session/\(id)/element/\(element)/enabled"
        case .element(let id, let element, .computedRole): "/session/\(id)/element/\(element)/computedrole"
        case .element(let id, let element, .computedLabel): "/session/\(id)/element/\(element)/computedlabel"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .session(_, .delete), .session(_, .closeWindow): .delete
        case .session(_, .window): .get
        case .newSession, .session, .element(_, _, .click), .element(_, _, .clear), .element(_, _, .sendKeys):
            .post
        case .element: .get
        }
    }

    var task: RequestTask {
        switch self {
        case .newSession(let capabilities):
            .parameters(
                ["capabilities": ["alwaysMatch": capabilities] as ParameterValue], encoding: .json)
        case .session(_, .navigate(let url)): .parameters(["url": url], encoding: .json)
        case .session(_, .newWindow): .parameters(["type": "window"], encoding: .json)
        case .session(_, .switchTo(let window)): .parameters(["handle": window], encoding: .json)
        case .session(_, .findElements(let css)):
            .parameters(["using": "css selector", "value": css], encoding: .json)
        case .session(_, .execute(let script, let arguments)):
            .parameters(["script": script, "args": arguments], encoding: .json)
        case .session(_, .perform(let actions)): .parameters(["actions": actions], encoding: .json)
        case .session(_, .permit(let name)):
            .parameters(
                ["descriptor": ["name": .text(name)] as ParameterValue, "state": "granted"], encoding: .json)
        case .session(_, .log(let kind)): .parameters(["type": kind], encoding: .json)
        case .session(_, .devTools(let command, let parameters)):
            .parameters(["cmd": command, "params": parameters], encoding: .json)
        case .element(_, _, .sendKeys(let text)): .parameters(["text": text], encoding: .json)
        case .session(_, .refresh), .element(_, _, .click), .element(_, _, .clear):
            .parameters([:], encoding: .json)
        case .session(_, .delete), .session(_, .window), .session(_, .closeWindow), .element: .plain
        }
    }

    var validation: ValidationType { .successCodes }
}
