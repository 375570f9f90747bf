//! One connection of a command: a tunnel (CONNECT), or one plain request that is passed on.
//!
//! A plain connection carries one request only, and exactly its body: the next one could be for another host.

use std::io;
use std::time::Duration;

use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tokio::net::TcpStream;

use super::message::{Body, Kind, last_response, parse};
use super::{Blocked, Passage};

/// The longest head of a request or response.
const MAX_HEAD: usize = 64 * 1024;
/// How long a client may take to say what it wants.
const HEAD_WITHIN: Duration = Duration::from_secs(30);
/// How long it may take to close its side once it was answered.
const LINGER: Duration = Duration::from_secs(2);

pub(super) async fn serve(mut client: TcpStream, passage: &Passage) -> io::Result<()> {
    let read = tokio::time::timeout(HEAD_WITHIN, read_head(&mut client)).await;
    let Ok(Ok((head, rest))) = read else {
        return answer(&mut client, "400 Bad Request", "no request").await;
    };
    let Some(request) = parse(&head) else {
        return answer(
            &mut client,
            "400 Bad Request",
            "neither a CONNECT nor a request for an http: address",
        )
        .await;
    };
    // A client that gives up while it waits takes its question with it.
    let connected = tokio::select! {
        connected = passage.connect(request.target) => connected,
        () = closed(&client) => return Ok(()),
    };
    let server = match connected {
        Ok(server) => server,
        Err(blocked @ Blocked::Refused(_)) => {
            return answer(&mut client, "403 Forbidden", &blocked.to_string()).await;
        }
        Err(blocked) => return answer(&mut client, "502 Bad Gateway", &blocked.to_string()).await,
    };
    match request.kind {
        Kind::Tunnel => tunnel(client, server, &rest).await,
        Kind::Plain { head, body, only_head } => pass(client, server, &head, &rest, body, only_head).await,
    }
}

/// Resolves when the other side has closed the connection for good.
async fn closed(client: &TcpStream) {
    // Bytes that came early hide the end; then only the answer ends the wait.
    while let Ok(1..) = client.peek(&mut [0; 1]).await {
        std::future::pending::<()>().await;
    }
}

async fn tunnel(mut client: TcpStream, mut server: TcpStream, early: &[u8]) -> io::Result<()> {
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    server.write_all(early).await?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await.map(drop)
}

async fn pass(
    client: TcpStream,
    server: TcpStream,
    head: &[u8],
    early: &[u8],
    body: Body,
    only_head: bool,
) -> io::Result<()> {
    let (from_client, mut to_client) = client.into_split();
    let (from_server, mut to_server) = server.into_split();
    to_server.write_all(head).await?;
    let mut from_client = BufReader::new(early.chain(from_client));
    let up = async {
        copy_body(&mut from_client, &mut to_server, body).await?;
        to_server.flush().await
    };
    let down = async {
        let mut from_server = BufReader::new(from_server);
        loop {
            let head = read_head_exactly(&mut from_server).await?;
            let Some(response) = last_response(&head) else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            to_client.write_all(&response.head).await?;
            if response.is_final {
                let body = if only_head { Body::Length(0) } else { response.body };
                copy_body(&mut from_server, &mut to_client, body).await?;
                return to_client.shutdown().await;
            }
        }
    };
    // A server may answer, and close, before it has read the whole body.
    let passed = {
        tokio::pin!(up, down);
        tokio::select! {
            // Also when not all could be sent: the answer says why.
            _ = &mut up => down.await,
            answered = &mut down => answered,
        }
    };
    linger(&mut from_client).await;
    passed
}

/// Reads on until the client has closed too, for a while: a connection that is closed over unread bytes is reset, and
/// the client may lose the answer.
async fn linger(client: &mut (impl AsyncRead + Unpin)) {
    let mut nowhere = tokio::io::sink();
    let rest = tokio::io::copy(client, &mut nowhere);
    // However that ends, the connection is done.
    let _ = tokio::time::timeout(LINGER, rest).await;
}

async fn copy_body(
    from: &mut (impl AsyncBufRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    body: Body,
) -> io::Result<()> {
    match body {
        Body::Length(length) => tokio::io::copy(&mut from.take(length), to).await.map(drop),
        Body::Chunked => copy_chunks(from, to).await,
        Body::ToTheEnd => tokio::io::copy(from, to).await.map(drop),
    }
}

/// Reads up to the empty line; what came after it comes back apart.
async fn read_head(from: &mut (impl AsyncRead + Unpin)) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut head = Vec::new();
    loop {
        if let Some(end) = head.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = head.split_off(end + 4);
            return Ok((head, rest));
        }
        if head.len() > MAX_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if from.read_buf(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Reads up to the empty line, and nothing after it.
async fn read_head_exactly(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.extend(read_line(from).await?);
        if head.len() > MAX_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    Ok(head)
}

/// Copies a chunked body (RFC 9112, 7.1) up to its end, trailers included, and nothing after it.
async fn copy_chunks(
    from: &mut (impl AsyncBufRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    loop {
        let line = read_line(from).await?;
        to.write_all(&line).await?;
        let text = String::from_utf8_lossy(&line);
        let size = text.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| io::ErrorKind::InvalidData)?;
        if size == 0 {
            break;
        }
        let with_end = size.checked_add(2).ok_or(io::ErrorKind::InvalidData)?;
        if tokio::io::copy(&mut (&mut *from).take(with_end), to).await? < with_end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    loop {
        let line = read_line(from).await?;
        to.write_all(&line).await?;
        if line == b"\r\n" {
            return Ok(());
        }
    }
}

async fn read_line(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    (&mut *from).take(MAX_HEAD as u64).read_until(b'\n', &mut line).await?;
    if line.ends_with(b"\n") { Ok(line) } else { Err(io::ErrorKind::InvalidData.into()) }
}

async fn answer(client: &mut TcpStream, status: &str, reason: &str) -> io::Result<()> {
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\nswarm: {reason}\n",
        reason.len() + "swarm: \n".len(),
    );
    client.write_all(text.as_bytes()).await?;
    client.shutdown().await?;
    linger(client).await;
    Ok(())
}
