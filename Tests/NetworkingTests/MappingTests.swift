import FoundationEssentials
import HTTPModel
import JSONBytes
import Networking
import NetworkingCompatibility
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Mapping of response content", .noLeaks)
struct MappingTests {
    private struct Tag: Codable, Equatable, Sendable {
        var name: String?
    }

    private func request(
        _ answer: StubTransport.Answer, envelope: ResponseEnvelope = .none, allowsEmptyBody: Bool = false
    ) throws -> Single<Response> {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(answer)
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        return provider.rx.request(Anything(envelope: envelope, allowsEmptyBody: allowsEmptyBody))
    }

    private let weather = ResponseEnvelope.declared(
        status: "/response/header/resultCode", data: "/response/body",
        message: "/response/header/resultMsg", success: ["00"])

    // MARK: - mapJSON

    @Test("mapJSON fails for a failing status and for invalid JSON")
    func mapJSONFails() throws {
        let refused = Probe(try request(.response(404, body: "{}")).mapJSON())
        #expect(refused.networkError?.kind == .requestErr)
        let broken = Probe(try request(.json("{")).mapJSON())
        #expect(broken.networkError?.underlying is JSONError)
        let inner = Probe(try request(.json(#"{"status":500}"#), envelope: .genericResponse).mapJSON())
        #expect(inner.networkError?.kind == .serverErr)
    }

    @Test("mapJSON returns the complete body, including its envelope")
    func mapJSON() throws {
        let body = #"{"status":200,"data":[1]}"#
        for envelope in [ResponseEnvelope.none, .genericResponse] {
            let json = Probe(try request(.json(" \(body) "), envelope: envelope).mapJSON()).value
            #expect(json?.description == body)
            #expect(json?[member: "data"]?[element: 0]?.intValue == 1)
        }
        let accepted = Probe(
            try request(.response(404, body: body)).filter(statusCode: 404).asObservable().mapJSON()
                .asSingle())
        #expect(accepted.value?[member: "status"]?.intValue == 200)
    }

    @Test("mapJSON of an empty body fails, or with failsOnEmptyData: false returns null")
    func mapJSONOfNothing() throws {
        for answer in [StubTransport.Answer.response(204), .response(200)] {
            #expect(Probe(try request(answer).mapJSON()).networkError != nil)
            #expect(Probe(try request(answer).mapJSON(failsOnEmptyData: false)).value?.isNull == true)
        }
        let whole = #"{"status":200,"data":null}"#
        let json = Probe(
            try request(.json(whole), envelope: .genericResponse).mapJSON(failsOnEmptyData: false))
        #expect(json.value?.description == whole)
    }

    // MARK: - mapString

    @Test("mapString fails for a failing status and for invalid UTF-8")
    func mapStringFails() throws {
        #expect(
            Probe(try request(.response(500, body: "x")).mapString()).networkError?.kind == .serverErr)
        let transport = StubTransport(scheduler: VirtualTime())
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        transport.answer(.response(TransportResponse(status: .ok, body: [0x61, 0xff])))
        let error = try #require(Probe(provider.rx.request(Anything()).mapString()).networkError)
        #expect(error.reason == .decodeError)
        #expect(error.underlying is StringMappingError)
        guard case .stringMapping = error.moyaError else { return #expect(Bool(false)) }
    }

    @Test("mapString returns the body as text, or the string at a key path")
    func mapString() throws {
        #expect(Probe(try request(.response(200, body: "<b>안녕</b>")).mapString()).value == "<b>안녕</b>")
        #expect(Probe(try request(.response(204)).mapString()).value == "")
        let body = #"{"status":200,"data":{"name":"a\n"}}"#
        #expect(Probe(try request(.json(body), envelope: .genericResponse).mapString()).value == body)
        #expect(
            Probe(try request(.json(body), envelope: .genericResponse).mapString(atKeyPath: "name")).value
                == "a\n")
        let wrong = Probe(try request(.json(body)).mapString(atKeyPath: "status"))
        #expect(wrong.networkError?.reason == .decodeError)
        let inner = Probe(try request(.json(#"{"status":400}"#), envelope: .genericResponse).mapString())
        #expect(inner.networkError?.statusCode == 400)
    }

    @Test(
        "mapString reads the charset of the response, and UTF-8 if it does not know the charset or the body is not in it",
        arguments: [
            ("text/plain; charset=ISO-8859-1", [0x63, 0x61, 0x66, 0xe9], "café"),
            ("text/plain; charset=\"iso-8859-1\"", [0xe9], "é"), ("text/plain;charset=latin1", [0xe9], "é"),
            ("text/plain; charset=US-ASCII", [0x61], "a"),
            ("text/plain; charset=us-ascii", [0xc3, 0xa9], "é"),
            ("text/plain; charset=utf-16", [0xfe, 0xff, 0xc5, 0x48], "안"),
            ("text/plain; charset=UTF-16LE", [0x48, 0xc5], "안"),
            ("text/plain; charset=UTF-8", [0xec, 0x95, 0x88], "안"), ("text/plain", [0xec, 0x95, 0x88], "안"),
            // Known because these tests import Foundation.
            ("text/plain; charset=windows-1252", [0x80], "€"),
            ("text/plain; charset=Shift_JIS", [0x82, 0xa0], "あ"),
            // Not known.
            ("text/plain; charset=EUC-KR", [0x61, 0xec, 0x95, 0x88], "a안"),
            ("text/plain; charset=utf8", [0xc3, 0xa9], "é"), ("text/plain; charset=", [0xc3, 0xa9], "é"),
            ("text/plain; charset=EUC-KR", [0xbe, 0xc8], nil), ("text/plain; charset=utf-8", [0xe9], nil),
            ("no type", [0xe9], nil),
        ] as [(String, [UInt8], String?)])
    func charset(type: String, body: [UInt8], text: String?) throws {
        let transport = StubTransport(scheduler: VirtualTime())
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        transport.answer(
            .response(TransportResponse(status: .ok, fields: [.contentType: type], body: body[...])))
        let probe = Probe(provider.rx.request(Anything()).mapString())
        #expect(probe.value == text)
        if text == nil { #expect(probe.networkError?.underlying is StringMappingError) }
    }

    @Test("The string at a key path is read as JSON, whatever the charset says")
    func charsetOfJSON() throws {
        let answer = StubTransport.Answer.response(
            200, fields: [.contentType: "application/json; charset=ISO-8859-1"], body: #"{"a":"안"}"#)
        #expect(Probe(try request(answer).mapString(atKeyPath: "a")).value == "안")
    }

    // MARK: - map without content

    @Test("An empty body is a failure, or with failsOnEmptyData: false an empty model or list")
    func failsOnEmptyData() throws {
        let nothing: [(StubTransport.Answer, ResponseEnvelope)] = [
            (.response(204), .none), (.response(205), .none), (.response(200), .none),
            (.json(#"{"status":200}"#), .genericResponse),
            (.json(#"{"status":200,"data":null}"#), .genericResponse),
            (.json(#"{"response":{"header":{"resultCode":"00"}}}"#), weather),
        ]
        for (answer, envelope) in nothing {
            #expect(Probe(try request(answer, envelope: envelope).map(Tag.self)).networkError != nil)
            let model = Probe(
                try request(answer, envelope: envelope).map(Tag.self, failsOnEmptyData: false))
            #expect(model.value == Tag())
            let list = Probe(
                try request(answer, envelope: envelope).asObservable()
                    .map([Tag].self, failsOnEmptyData: false).asSingle())
            #expect(list.value == [])
            let number = Probe(try request(answer, envelope: envelope).map(Int.self, failsOnEmptyData: false))
            #expect(number.networkError?.kind == .noContent)
        }
    }

    @Test("failsOnEmptyData does not affect existing content")
    func somethingThere() throws {
        let model = Probe(try request(.json(#"{"name":"a"}"#)).map(Tag.self, failsOnEmptyData: false))
        #expect(model.value == Tag(name: "a"))
        let path = Probe(
            try request(.json("{}")).map(Tag.self, atKeyPath: "tag", failsOnEmptyData: false))
        #expect(path.networkError?.reason == .missingData)
    }

    // MARK: - Envelopes

    @Test(
        "Data of every kind is unwrapped from both kinds of envelope",
        arguments: [#"{"name":"a"}"#, "[1,[2]]", "\"text\"", "-1.5e3", "true", "[]", "{}"])
    func unwrapped(data: String) throws {
        let generic = StubTransport.Answer.json(#"{"data":\#(data),"status":200,"code":null}"#)
        #expect(Probe(try request(generic, envelope: .genericResponse).fragment()).value?.description == data)
        let declared = StubTransport.Answer.json(
            #"{"response":{"body":\#(data),"header":{"resultCode":"00","resultMsg":"OK"}}}"#)
        #expect(Probe(try request(declared, envelope: weather).fragment()).value?.description == data)
    }

    @Test(
        "Null and missing data are missing_data, or no content if the target allows an empty body",
        arguments: [true, false])
    func missing(allowsEmptyBody: Bool) throws {
        for (body, envelope) in [
            (#"{"status":200,"data":null}"#, ResponseEnvelope.genericResponse),
            (#"{"status":200}"#, .genericResponse),
            (#"{"response":{"header":{"resultCode":"00"},"body":null}}"#, weather),
            (#"{"response":{"header":{"resultCode":"00"}}}"#, weather),
        ] {
            let single = try request(.json(body), envelope: envelope, allowsEmptyBody: allowsEmptyBody)
            let fragment = Probe(single.fragment())
            #expect(fragment.value?.isNull == (allowsEmptyBody ? true : nil))
            #expect(fragment.networkError?.reason == (allowsEmptyBody ? nil : .missingData))
            let model = Probe(single.map(Int.self))
            #expect(model.networkError?.kind == (allowsEmptyBody ? .noContent : .pathErr))
        }
    }

    @Test("The code and message of a declared envelope are in the error")
    func declaredFailure() throws {
        let body = #"{"response":{"header":{"resultCode":"04","resultMsg":"점검 중"},"body":{"x":1}}}"#
        let error = try #require(
            Probe(try request(.json(body), envelope: weather).map(Tag.self)).networkError)
        #expect(error.kind == .serverErr)
        #expect(error.upstreamCode == "04")
        #expect(error.upstreamMessage == "점검 중")
        guard case .serverError(code: 4) = error.sessionError else {
            Issue.record("\(error.sessionError)")
            return
        }
        #expect(error.payload(as: [String: Int].self) == ["x": 1])
    }

    @Test(
        "A declared code from 100 to 599 is the call's status, as text too; other codes are not",
        arguments: [
            (#""503""#, 503), ("503", 503), (#""404""#, 404), (#""0503""#, 200), (#""600""#, 200),
            (#""+50""#, 200), (#""099""#, 200),
        ])
    func codeAsStatus(code: String, status: Int) throws {
        let envelope = ResponseEnvelope.declared(status: "/c", data: "/d", success: ["0"])
        let answer = StubTransport.Answer.json("{\"c\":\(code),\"d\":1}")
        let error = try #require(Probe(try request(answer, envelope: envelope).map(Int.self)).networkError)
        #expect(error.reason == .upstreamStatus)
        #expect(error.statusCode == status)
    }

    // MARK: - validate

    @Test("A body with an unacceptable or missing content type fails")
    func validateTypeFails() throws {
        let html = StubTransport.Answer.response(200, fields: [.contentType: "text/html"], body: "<p>")
        let untyped = StubTransport.Answer.response(200, body: "{}")
        for acceptable in [["application/json"], ["text/plain", "application/*"], []] {
            for answer in [html, untyped] {
                let error = Probe(try request(answer).validate(contentType: acceptable)).networkError
                #expect(error?.kind == .pathErr)
                #expect(error?.response != nil)
            }
        }
        #expect(Probe(try request(html).validate()).networkError?.reason == .decodeError)
        #expect(Probe(try request(.response(404)).validate()).networkError?.statusCode == 404)
        #expect(Probe(try request(.response(201)).validate(statusCode: [200])).networkError != nil)
    }

    @Test("A body with a matching content type passes, and so does an empty body")
    func validateType() throws {
        let json = StubTransport.Answer.response(
            200, fields: [.contentType: "Application/JSON; charset=utf-8"], body: "{}")
        for acceptable in [["application/json"], ["text/html", "application/*"], ["*/*"]] {
            #expect(Probe(try request(json).validate(contentType: acceptable)).value != nil)
            #expect(Probe(try request(.response(200)).validate(contentType: acceptable)).value != nil)
        }
        #expect(
            Probe(try request(json).validate().asObservable().validate(statusCode: 200..<300).asSingle())
                .value != nil)
        #expect(Probe(try request(.response(200, body: "x")).validate(contentType: ["*/*"])).value != nil)
    }
}
