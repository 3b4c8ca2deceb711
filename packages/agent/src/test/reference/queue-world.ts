import { omitUndefined } from '@signalbox/core'
import {
  type Attachment,
  Heartbeat,
  InMemoryMailbox,
  LeaseExtender,
  type Message,
} from '@signalbox/worker'
import type { AgentWorld } from './agent-world.ts'
import type { Answer, StepOf } from './reference-line.ts'

export class QueueWorld {
  readonly #world: AgentWorld
  readonly #mailbox: InMemoryMailbox<string>
  readonly #heartbeat: Heartbeat
  readonly #messages = new Map<string, Message<string>>()
  readonly #extensions: [at: number, seconds: number, error: null][] = []
  #extender: LeaseExtender | null = null
  #attachment: Attachment | null = null

  constructor(world: AgentWorld) {
    const { now } = world.clock
    this.#world = world
    this.#mailbox = new InMemoryMailbox({ name: 'q', now })
    this.#heartbeat = new Heartbeat({ now })
  }

  async send({ body }: StepOf<'send'>): Promise<void> {
    await this.#mailbox.send(body)
  }

  async receive(step: StepOf<'receive'>): Promise<Answer['result']> {
    const { visibility_timeout: visibilitySeconds, max_messages: max, as } = step
    const received = await this.#mailbox.receive({
      max,
      ...omitUndefined({ visibilitySeconds }),
    })
    const [first] = received
    if (first !== undefined) this.#messages.set(as, first)
    return received.map(({ body, deliveryCount }) => ({ body, delivery_count: deliveryCount }))
  }

  async acknowledge({ msg }: StepOf<'ack'>): Promise<void> {
    await this.#message(msg).acknowledge()
  }

  async nack({ msg }: StepOf<'nack'>): Promise<void> {
    await this.#message(msg).nack()
  }

  async extend({ msg, timeout }: StepOf<'extend'>): Promise<void> {
    await this.#message(msg).extendVisibility(timeout)
  }

  count(): Promise<number> {
    return this.#mailbox.count()
  }

  /** The first attachment determines the extender's settings. */
  attach({ interval, extension }: StepOf<'lease_attach'>): void {
    const { now } = this.#world.clock
    this.#extender ??= new LeaseExtender({
      now,
      ...omitUndefined({ interval, extension }),
    })
    this.#attachment = this.#extender.attach(this.#recorded(), this.#heartbeat)
  }

  async detach(): Promise<void> {
    await this.#attachment?.detach()
  }

  /** Resolves when the extension that the beat caused has ended. */
  async beat(): Promise<void> {
    this.#heartbeat.beat()
    await new Promise((resolve) => setImmediate(resolve))
  }

  extensions(): Answer['result'] {
    return this.#extensions.map((extension) => [...extension])
  }

  #message(name: string): Message<string> {
    const message = this.#messages.get(name)
    if (message === undefined) throw new Error(`no message was received as ${name}`)
    return message
  }

  #recorded() {
    const message = this.#message('m')
    return {
      id: message.id,
      get leaseUntil() {
        return message.leaseUntil
      },
      extendVisibility: (seconds: number) => {
        this.#extensions.push([this.#world.monotonic(), seconds, null])
        return message.extendVisibility(seconds)
      },
    }
  }
}
