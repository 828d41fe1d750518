import Foundation

/// A DNS server made of dnslib, on a free port of 127.0.0.1, over UDP and TCP.
package final class DNSServer: Sendable {
    /// What the server knows about a name.
    package struct Name: Codable, Sendable {
        package enum Fault: String, Codable, Sendable {
            case silent, servfail, refused, nxdomain
            /// The answer over UDP says that it is truncated, and has no address.
            case truncated
            /// The same, and a forged answer with the address 203.0.113.66 and the QR bit 0 comes over TCP
            /// before the real one.
            case truncatedUnmarked
            /// The same, and the query comes back over TCP before the real answer.
            case truncatedEcho
            /// A forged answer with the address 203.0.113.66 and another ID comes before the real one.
            case wrongID
            /// A forged answer with the address 203.0.113.66 comes from another port before the real one.
            case wrongPort
            /// The query comes back, with its QR bit 0, before the real answer.
            case echo
            /// A forged answer with the address 203.0.113.66 and the QR bit 0 comes before the real one.
            case unmarked
            /// The query comes back, and no answer.
            case echoOnly
            /// The answer has the alias, and not what the alias stands for.
            case aliasOnly
        }

        package var addresses: [String]
        package var alias: String?
        package var timeToLive: Int
        /// By the type of the query: `A` or `AAAA`.
        package var faults: [String: Fault]
        /// How long answers over UDP are held back, in milliseconds, by the type of the query.
        package var delays: [String: Int]

        package init(
            _ addresses: [String] = [], alias: String? = nil, timeToLive: Int = 60, fault: Fault? = nil,
            faults: [String: Fault] = [:], delays: [String: Int] = [:]
        ) {
            self.delays = delays
            self.addresses = addresses
            self.alias = alias
            self.timeToLive = timeToLive
            self.faults = fault.map { ["A": $0, "AAAA": $0] } ?? faults
        }
    }

    private static let library =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../.build/dnslib/dnslib.whl").standardized.path

    package static var isInstalled: Bool {
        PythonServer.isInstalled && FileManager.default.fileExists(atPath: library)
    }
    /// Why a test is skipped.
    package static let isMissing = "dnslib is not downloaded: Tests/dnslib"

    /// `127.0.0.1:5353`
    package let address: String
    private let folder = ScratchFolder()
    private let process: PeerProcess

    /// A name that is not in `names` does not exist.
    package init(_ names: [String: Name] = [:]) throws {
        guard let python = PythonServer.program, Self.isInstalled else {
            throw PeerFailure(description: Self.isMissing)
        }
        try Self.write(names, to: folder)
        try Self.script.write(toFile: folder.file("server.py"), atomically: true, encoding: .utf8)
        let process = try PeerProcess(
            python, ["-u", folder.file("server.py")], environment: ["PYTHONPATH": Self.library], in: folder)
        self.process = process
        try spin(while: !process.log.contains("\n")) { "no port in the log: \(process.log)" }
        let port = process.log.prefix { $0 != "\n" }
        guard UInt16(port) != nil else { throw PeerFailure(description: process.log) }
        address = "127.0.0.1:\(port)"
    }

    package func stop() { process.stop() }

    /// Replaces everything that the server knows, from the next query on.
    package func know(_ names: [String: Name]) throws { try Self.write(names, to: folder) }

    private static func write(_ names: [String: Name], to folder: ScratchFolder) throws {
        try JSONEncoder().encode(names).write(
            to: URL(fileURLWithPath: folder.file("names.json")), options: .atomic)
    }

    /// The queries so far: `A api.test udp`.
    package var queries: [String] {
        process.log.split(separator: "\n").dropFirst().map(String.init)
    }

    /// The number of queries for the name's IPv4 addresses over UDP. A lookup sends one of them for each try.
    package func lookups(of name: String) -> Int { queries.count { $0 == "A \(name) udp" } }

    private static let script = """
        import json, socket, struct, sys, threading
        from dnslib import A, AAAA, CNAME, DNSRecord, QTYPE, RCODE, RR

        def bind():
            while True:
                udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                udp.bind(("127.0.0.1", 0))
                tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
                try:
                    tcp.bind(udp.getsockname())
                    tcp.listen()
                    return udp, tcp
                except OSError:
                    udp.close()
                    tcp.close()

        def fill(reply, names, name, kind, follows=True):
            known = names.get(name)
            if known is None or len(reply.rr) > 16:
                return
            if known.get("alias"):
                reply.add_answer(RR(name, QTYPE.CNAME, rdata=CNAME(known["alias"]), ttl=known["timeToLive"]))
                return fill(reply, names, known["alias"], kind) if follows else None
            for address in known["addresses"]:
                if kind == ("AAAA" if ":" in address else "A"):
                    data = AAAA(address) if kind == "AAAA" else A(address)
                    reply.add_answer(RR(name, getattr(QTYPE, kind), rdata=data, ttl=known["timeToLive"]))

        def forged(query, name):
            reply = query.reply()
            reply.add_answer(RR(name, QTYPE.A, rdata=A("203.0.113.66"), ttl=60))
            return reply

        def replies(data, protocol):
            query = DNSRecord.parse(data)
            name, kind = str(query.q.qname).rstrip("."), QTYPE[query.q.qtype]
            print(f"{kind} {name} {protocol}\\n", end="")
            with open("names.json") as file:
                names = json.load(file)
            known = names.get(name)
            fault = known["faults"].get(kind) if known else "nxdomain"
            delay = known["delays"].get(kind, 0) / 1000 if known else 0
            if fault == "silent":
                return 0, []
            if fault == "echoOnly":
                return delay, [(False, data)]
            reply = query.reply()
            if fault in ("servfail", "refused", "nxdomain"):
                reply.header.rcode = getattr(RCODE, fault.upper())
            elif (fault or "").startswith("truncated") and protocol == "udp":
                reply.header.tc = 1
            else:
                fill(reply, names, name, kind, fault != "aliasOnly")
            sent = [(False, reply.pack())]
            if fault == "wrongID":
                other = forged(query, name)
                other.header.id = (query.header.id + 1) & 0xffff
                sent.insert(0, (False, other.pack()))
            if fault == "wrongPort":
                sent.insert(0, (True, forged(query, name).pack()))
            if fault == "echo" or (fault == "truncatedEcho" and protocol == "tcp"):
                sent.insert(0, (False, data))
            if fault == "unmarked" or (fault == "truncatedUnmarked" and protocol == "tcp"):
                other = forged(query, name)
                other.header.qr = 0
                sent.insert(0, (False, other.pack()))
            return delay, sent

        def serve(connection):
            with connection, connection.makefile("rb") as file:
                while len(size := file.read(2)) == 2:
                    for _, reply in replies(file.read(struct.unpack("!H", size)[0]), "tcp")[1]:
                        connection.sendall(struct.pack("!H", len(reply)) + reply)

        def listen():
            while True:
                threading.Thread(target=serve, args=(tcp.accept()[0],), daemon=True).start()

        udp, tcp = bind()
        other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        print(udp.getsockname()[1])
        threading.Thread(target=listen, daemon=True).start()

        def send(sent, client):
            for is_elsewhere, reply in sent:
                (other if is_elsewhere else udp).sendto(reply, client)

        while True:
            data, client = udp.recvfrom(4096)
            delay, sent = replies(data, "udp")
            if delay:
                timer = threading.Timer(delay, send, (sent, client))
                timer.daemon = True
                timer.start()
            else:
                send(sent, client)
        """
}
