import Dispatch
import Foundation
import Glibc
@_spi(Lines) import JSONBytes
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Log writer")
struct LogWriterTests {
    private func line(_ number: Int, padding: Int = 0) -> JSONLine {
        var line = JSONLine(capacity: 64)
        line.constant("{\"n\":")
        line.integer(number)
        line.constant(",\"padding\":")
        line.string(String(repeating: "x", count: padding))
        line.constant("}\n")
        return line
    }

    @Test(
        "A stuck reader does not block the writer: excess lines are dropped, and their count is logged once it reads"
    )
    func aStuckReaderBlocksNobody() throws {
        let pipe = RawPipe()
        let log = LogWriter(descriptor: pipe.writer)
        let channel = log.makeChannel()
        // 3 MiB do not fit into the pipe's 64 KiB and the channel's 1 MiB.
        for number in 0..<3000 { channel.append(line(number, padding: 1000)) }
        #expect(log.droppedLines > 0)
        // Everything is read before the log is closed, because closing waits at most a second for the reader.
        let count = /\{"time":"[0-9T:.-]{23}Z","event":"log lines dropped","count":(\d+)\}\n/
        var text = ""
        var told = 0
        while told < log.droppedLines {
            // Reads up to the end of a line.
            var more = try pipe.readSome()
            while !more.hasSuffix("\n") { more += try pipe.readSome() }
            text += more
            for match in more.matches(of: count) { told += Int(match.1) ?? 0 }
        }
        log.close()
        close(pipe.writer)
        text += pipe.readAll()
        close(pipe.reader)
        let lines = text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("{\"n\":0,") == true)
        #expect(told == log.droppedLines)
        #expect(lines.count { $0.hasPrefix("{\"n\":") } == 3000 - log.droppedLines)
    }

    @Test("If the reader has gone, its lines are dropped and counted")
    func aReaderThatHasGoneCostsTheLines() {
        let pipe = RawPipe()
        close(pipe.reader)
        let log = LogWriter(descriptor: pipe.writer)
        let channel = log.makeChannel()
        for number in 0..<10 { channel.append(line(number)) }
        log.close()
        close(pipe.writer)
        #expect(log.droppedLines == 10)
    }

    @Test(
        "Lines for a stuck reader never reach another file that reuses the descriptor's number"
    )
    func whatWasHeldUpGoesNowhereElse() throws {
        let pipe = RawPipe()
        let log = LogWriter(descriptor: pipe.writer)
        let channel = log.makeChannel()
        // The first line exceeds the pipe's 64 KiB and blocks the thread; the second waits.
        channel.append(line(0, padding: 100_000))
        var written = pollfd(fd: pipe.reader, events: Int16(POLLIN), revents: 0)
        try spin(while: Glibc.poll(&written, 1, 0) == 0) { "nothing was written" }
        channel.append(line(1))
        log.close()
        let other = RawPipe()
        dup2(other.writer, pipe.writer)
        // The blocked write fails, and the next line is tried.
        close(pipe.reader)
        var poll = pollfd(fd: other.reader, events: Int16(POLLIN), revents: 0)
        try spin(while: log.droppedLines < 2 && Glibc.poll(&poll, 1, 0) == 0) {
            "\(log.droppedLines) of 2 lines dropped"
        }
        #expect(Glibc.poll(&poll, 1, 0) == 0)
        for descriptor in [pipe.writer, other.writer, other.reader] { close(descriptor) }
    }

    @Test("Lines from several threads are complete, and the lines of each thread stay in order")
    func linesOfSeveralThreadsComeOutWhole() throws {
        let pipe = RawPipe()
        let log = LogWriter(descriptor: pipe.writer)
        let channels = (0..<4).map { _ in log.makeChannel() }
        let done = Signal()
        let text = Lock("")
        DispatchQueue.global().async {
            let all = pipe.readAll()
            text.withLock { $0 = all }
            done.fire()
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 { channels[thread].append(line(thread * 1000 + number)) }
        }
        log.close()
        close(pipe.writer)
        try done.waitBlocking()
        close(pipe.reader)
        let numbers = try text.withLock { $0 }.split(separator: "\n").map { text in
            try #require(JSONFragment(validating: Array(text.utf8)[...])[member: "n"]?.intValue)
        }
        for thread in 0..<4 {
            #expect(numbers.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
        }
    }

    @Test(
        "A log line is valid JSON whatever its fields contain, and a message below the level is not written")
    func aLineOfTheLogIsJSON() throws {
        let pipe = RawPipe()
        let writer = LogWriter(descriptor: pipe.writer)
        let log = Log(level: .warning, writer: writer)
        log.write(.info, "not told")
        log.write(.warning, "told", ["what": "a \"quoted\"\nline", "count": 3, "of": Int64(4), "no": nil])
        writer.close()
        close(pipe.writer)
        let text = pipe.readAll()
        close(pipe.reader)
        let line = try JSONFragment(validating: Array(text.utf8).dropLast())
        #expect(line[member: "level"]?.stringValue == "warning")
        #expect(line[member: "message"]?.stringValue == "told")
        #expect(line[member: "what"]?.stringValue == "a \"quoted\"\nline")
        #expect(line[member: "count"]?.intValue == 3)
        #expect(line[member: "of"]?.intValue == 4)
        #expect(line[member: "no"] == nil)
        let time = try #require(line[member: "time"]?.stringValue)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }
}
