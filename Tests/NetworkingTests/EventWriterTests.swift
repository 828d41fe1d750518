import JSONBytes
import Networking
import Testing

@Suite("The writer of events")
struct EventWriterTests {
    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(
        "An event whose name has a line break, or whose id has one or a NUL, is refused, and the next one is not",
        arguments: [
            ServerSentEvent("a", event: "b\nc"), ServerSentEvent("a", event: "b\rc"),
            ServerSentEvent("a", id: "1\n"), ServerSentEvent("a", id: "\r"), ServerSentEvent("a", id: "1\0"),
        ])
    func invalid(event: ServerSentEvent) throws {
        var writer = EventWriter()
        #expect(throws: EventWriter.InvalidField.self) { _ = try writer.write(event) }
        let next = try writer.write(ServerSentEvent("a", id: "1"))
        #expect(text(next) == "id: 1\ndata: a\n\n")
    }

    @Test("An id is written when it changes, and a message needs no name")
    func fields() throws {
        var writer = EventWriter()
        let events = [
            ServerSentEvent("a"), ServerSentEvent("b", id: "1"), ServerSentEvent("c", event: "add", id: "1"),
            ServerSentEvent("d"), ServerSentEvent("e", event: "", id: "2"), ServerSentEvent("", id: ""),
        ]
        var texts: [String] = []
        for event in events {
            let written = try writer.write(event)
            texts.append(text(written))
        }
        #expect(
            texts == [
                "data: a\n\n", "id: 1\ndata: b\n\n", "event: add\ndata: c\n\n", "data: d\n\n",
                "id: 2\ndata: e\n\n", "id: \ndata: \n\n",
            ])
    }

    @Test("Each line of the data has a field, whatever ends the line")
    func lines() throws {
        var writer = EventWriter()
        let written = try writer.write(ServerSentEvent("a\nb\r\nc\rd\n\n"))
        #expect(text(written) == "data: a\ndata: b\ndata: c\ndata: d\ndata: \ndata: \n\n")
    }

    @Test("A JSON value stays on one line")
    func json() throws {
        let value = try JSONFragment(validating: Array("{\r\n\"a\":\n1}".utf8)[...])
        #expect(text(EventWriter.message(value)) == "data: {  \"a\": 1}\n\n")
        #expect(text(EventWriter.message(.null, as: "request")) == "event: request\ndata: null\n\n")
    }

    @Test("What is written is read back, whole, in pieces and byte by byte", arguments: [1, 2, 3, 1_000])
    func roundTrip(size: Int) throws {
        let events = [
            ServerSentEvent(""), ServerSentEvent("\n"),
            ServerSentEvent(" a: b\n c ", event: " x:y ", id: " 1"),
            ServerSentEvent("\u{feff}ü", id: " 1"), ServerSentEvent("data: a\n\nid: 5", event: "ü", id: "2"),
        ]
        var writer = EventWriter()
        var bytes: [UInt8] = []
        for event in events {
            bytes += EventWriter.comment
            bytes += try writer.write(event)
        }
        bytes += EventWriter.retry(milliseconds: 1_500)
        var parser = EventParser(limit: 1_000)
        var read: [ServerSentEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = rest.prefix(size)
            while let event = try parser.nextEvent(in: &piece) { read.append(event) }
            rest = rest.dropFirst(size)
        }
        #expect(read == events)
        #expect(parser.retry == 1_500)
    }
}
