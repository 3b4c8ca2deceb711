import net from 'node:net'
import { expect, test } from 'vitest'
import { checkOutboundAddress, post } from './outbound.ts'

test.each([
  ...['127.0.0.1', '10.1.2.3', '169.254.169.254', '[::1]', '[::ffff:10.0.0.1]'],
  ...[
    '[::169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[2002:a9fe:a9fe::1]',
    '[2001:0:a9fe:a9fe::1]',
  ],
  ...['192.0.2.1', '198.51.100.1', '203.0.113.7', '[2001:db8::1]', '[3fff::1]'],
  ...['[fd00::1]', '[fe80::1]', '[fec0::1]', '[ff02::1]'],
])('an outbound address in a private or reserved network is refused: %s', (host) => {
  expect(checkOutboundAddress(`https://${host}/hook`, [])).toMatch(/inside the server’s network/)
})

test.each(['192.0.1.7', '[2001:4860::1]', '[2606:4700::1111]', 'example.com'])(
  'a public outbound address is allowed: %s',
  (host) => {
    expect(checkOutboundAddress(`https://${host}/hook`, [])).toBeNull()
  },
)

const sendTo = (url: string): Promise<number> =>
  post({ url, headers: {}, body: '{}', allowed: ['127.0.0.1', 'no-such-host.invalid'] })

/** Port of a server that treats each connection so; closed after `use`. */
async function withServer(
  onConnection: (socket: net.Socket) => void,
  use: (port: number) => Promise<void>,
): Promise<void> {
  const server = net.createServer(onConnection)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  try {
    await use(typeof address === 'object' && address !== null ? address.port : 0)
  } finally {
    server.close()
  }
}

test('a failure of the network is reported in words that name the host', async () => {
  await expect(sendTo('http://no-such-host.invalid/hook')).rejects.toThrow(
    'No address was found for the host no-such-host.invalid.',
  )
  let port = 0
  await withServer(
    (socket) => socket.end('no HTTP\r\n\r\n'),
    async (given) => {
      port = given
      await expect(sendTo(`https://127.0.0.1:${port}/`)).rejects.toThrow(
        `127.0.0.1:${port} gave no secure connection: `,
      )
      await expect(sendTo(`http://127.0.0.1:${port}/`)).rejects.toThrow(
        `127.0.0.1:${port} gave no valid HTTP answer.`,
      )
    },
  )
  await expect(sendTo(`http://127.0.0.1:${port}/`)).rejects.toThrow(
    `127.0.0.1:${port} refused the connection.`,
  )
  await withServer(
    (socket) => socket.destroy(),
    async (given) => {
      await expect(sendTo(`http://127.0.0.1:${given}/`)).rejects.toThrow(
        `127.0.0.1:${given} closed the connection before it answered.`,
      )
    },
  )
})
