// A file as an answer. Generated text is sent piece by piece, and its generator is stopped when the reader disconnects.

interface File {
  readonly name: string
  readonly type: string
  readonly content: string | AsyncGenerator<string>
}

/** `name` may only have characters that are allowed in a quoted file name. */
export function fileResponse({ name, type, content }: File): Response {
  return new Response(typeof content === 'string' ? content : toStream(content), {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })
}

function toStream(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const piece = await pieces.next()
      if (piece.done === true) controller.close()
      else controller.enqueue(encoder.encode(piece.value))
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
