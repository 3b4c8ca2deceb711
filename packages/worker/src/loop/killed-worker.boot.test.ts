import { expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import type { Message } from '../mailbox/mailbox.ts'
import { NatsMailbox } from '../mailbox/nats-mailbox.ts'
import { describeWithNats } from '../test/nats-server.ts'
import { startWorker } from '../test/worker-process.ts'

describeWithNats('a worker on NATS JetStream', ({ connection, url }) => {
  const openMailbox = async (name: string) => {
    const mailbox = new NatsMailbox({ connection: connection(), name, visibilitySeconds: 3 })
    await mailbox.install()
    return mailbox
  }

  async function comesBackNotBefore(mailbox: NatsMailbox, end: number): Promise<Message> {
    const [message] = await mailbox.receive({ waitSeconds: 60 })
    expect(Date.now()).toBeGreaterThanOrEqual(end)
    if (message === undefined) throw new Error('the message did not come back')
    return message
  }

  test.runIf(IS_SOAK)(
    'a killed worker loses its message when its lease ends and not before',
    async () => {
      const mailbox = await openMailbox('silent')
      const id = await mailbox.send('work')
      const worker = await startWorker(['nats', url(), 'silent', 'silent'])
      await worker.kill()
      const [end = Number.NaN] = worker.leaseEnds()
      const message = await comesBackNotBefore(mailbox, end)
      expect(message).toMatchObject({ id, body: 'work', deliveryCount: 2 })
      // The mailbox holds only this message; a second one would be a duplicate.
      expect(await mailbox.count()).toBe(1)
      await message.acknowledge()
    },
  )

  test.runIf(IS_SOAK)(
    'a beating worker keeps its message, and after a kill loses it when the last extension ends',
    async () => {
      const mailbox = await openMailbox('beating')
      await mailbox.send('work')
      const worker = await startWorker(['nats', url(), 'beating', 'beating'])
      const [firstEnd = Number.NaN] = worker.leaseEnds()
      while (Date.now() < firstEnd + 2000) {
        expect(await mailbox.receive({ waitSeconds: 0.5 })).toEqual([])
      }
      await worker.kill()
      const end = worker.leaseEnds().at(-1) ?? Number.NaN
      expect(end).toBeGreaterThan(firstEnd + 2000)
      const message = await comesBackNotBefore(mailbox, end)
      expect(message).toMatchObject({ deliveryCount: 2 })
      await message.acknowledge()
    },
  )
})
