import { expect, test } from 'vitest'
import { checkOutboundAddress } from './outbound.ts'

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
