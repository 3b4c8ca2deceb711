import { AwsClient } from 'aws4fetch'
import { digestBytes } from './segment.ts'
import type { ArchiveStore } from './store.ts'

export interface Bucket {
  /** Address of the service, without the bucket and without a slash at its end. */
  readonly endpoint: string
  readonly region: string
  readonly name: string
  /** Begins every key; empty: none. */
  readonly prefix: string
  readonly keyId: string
  readonly secret: string
}

const TIMEOUT_MS = 60_000
const REPETITIONS = 4

export function openS3Store(bucket: Bucket): ArchiveStore {
  const { keyId, secret, region } = bucket
  const client = new AwsClient({
    accessKeyId: keyId,
    secretAccessKey: secret,
    service: 's3',
    region,
    retries: REPETITIONS,
  })
  const send = async (method: string, name: string, more: RequestInit = {}): Promise<Response> =>
    await client.fetch(`${bucket.endpoint}/${bucket.name}/${bucket.prefix}${name}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...more,
    })
  const expectStatus = async (answer: Response, method: string, statuses: readonly number[]) => {
    if (statuses.includes(answer.status)) return
    await answer.body?.cancel()
    throw new Error(`The bucket ${bucket.name} answered ${method} with ${answer.status}.`)
  }
  return {
    async write(name, bytes) {
      // The service refuses content with another digest.
      const headers = { 'x-amz-content-sha256': digestBytes(bytes) }
      const answer = await send('PUT', name, { body: new Uint8Array(bytes), headers })
      await expectStatus(answer, 'PUT', [200])
      await answer.body?.cancel()
    },
    async read(name, range) {
      const headers =
        range === undefined
          ? {}
          : { range: `bytes=${range.start}-${range.start + range.bytes - 1}` }
      const answer = await send('GET', name, { headers })
      // 416: the file ends before the range.
      await expectStatus(answer, 'GET', [200, 206, 404, 416])
      if (!answer.ok) {
        await answer.body?.cancel()
        return answer.status === 404 ? null : Buffer.alloc(0)
      }
      const content = Buffer.from(await answer.arrayBuffer())
      // A service may ignore the range.
      return range === undefined || answer.status === 206
        ? content
        : content.subarray(range.start, range.start + range.bytes)
    },
    async remove(name) {
      const answer = await send('DELETE', name)
      await expectStatus(answer, 'DELETE', [200, 204, 404])
      await answer.body?.cancel()
    },
  }
}
