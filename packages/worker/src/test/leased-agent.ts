// Prints the end of its lease, in epoch milliseconds, when it receives the message and after each extension.
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { MainLoop } from '../loop/main-loop.ts'
import { NatsMailbox } from '../mailbox/nats-mailbox.ts'
import { PostgresMailbox } from '../mailbox/postgres-mailbox.ts'

const [backend = '', url = '', name = '', beats = ''] = process.argv.slice(2)
const lease = {
  visibilityTimeout: 3,
  watchdogThreshold: 2.4,
  maxProcessingTime: 0.5,
  extension: 2.5,
  interval: 0.3,
}

const openMailbox = async () => {
  const common = { name, visibilitySeconds: lease.visibilityTimeout }
  if (backend === 'nats') {
    return new NatsMailbox({ ...common, connection: await connect({ servers: url }) })
  }
  const pool = new pg.Pool({ connectionString: url, application_name: 'leased-agent' })
  return new PostgresMailbox({ ...common, pool })
}

const loop = new MainLoop({
  mailbox: await openMailbox(),
  lease,
  handle: (_, { heartbeat, message, recordLease }) => {
    const tell = () => void process.stdout.write(`${message.leaseUntil}\n`)
    recordLease({ extended: tell, expired: tell })
    tell()
    setInterval(() => (beats === 'beating' ? heartbeat.beat() : undefined), 20)
    return new Promise(() => undefined)
  },
})
await loop.run()
