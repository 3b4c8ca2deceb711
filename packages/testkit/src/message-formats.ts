// Documented shapes of messages that chats and incident services accept, with their limits. Unknown fields are refused. Tests only.
// Sources: Slack "Block Kit reference" and "Incoming webhooks"; Adaptive Cards schema 1.4 and Teams "Incoming webhooks with Workflows";
// Discord "Execute Webhook" and "Embed Limits"; PagerDuty "Events API v2: Send an alert event".
import { z } from 'zod'

const Url = z.url({ protocol: /^https?$/ }).max(2_048)
const Instant = z.iso.datetime()

/** `<` and `>` that do not belong to a link of ours would be a mention or a disguised link. */
const SlackText = z
  .string()
  .min(1)
  .regex(/^[^<>]*$/)
  .refine((text) => !/&(?!amp;|lt;|gt;)/.test(text), 'An "&" is not escaped.')
const slackPlain = (most: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: SlackText.max(most),
    emoji: z.literal(false),
  })
const SlackLink = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z
    .string()
    .max(3_000)
    .regex(/^<https?:\/\/[^<>|]+\|[A-Z][a-z ]+>$/),
  verbatim: z.literal(true),
})
const Slack = z.strictObject({
  text: SlackText.max(40_000),
  unfurl_links: z.boolean(),
  unfurl_media: z.boolean(),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('header'), text: slackPlain(150) }),
        z.strictObject({
          type: z.literal('section'),
          text: z.union([slackPlain(3_000), SlackLink]),
        }),
        z.strictObject({
          type: z.literal('context'),
          elements: z.array(slackPlain(2_000)).min(1).max(10),
        }),
      ]),
    )
    .min(1)
    .max(50),
})

const TeamsRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string().min(1),
  size: z.enum(['Small', 'Default', 'Medium', 'Large', 'ExtraLarge']).optional(),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
  isSubtle: z.boolean().optional(),
})
const Teams = z
  .strictObject({
    type: z.literal('message'),
    attachments: z
      .array(
        z.strictObject({
          contentType: z.literal('application/vnd.microsoft.card.adaptive'),
          contentUrl: z.null(),
          content: z.strictObject({
            $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
            type: z.literal('AdaptiveCard'),
            version: z.literal('1.4'),
            // A text run has no markup; a text block would turn `[a](b)` of a reason into a link.
            body: z
              .array(
                z.strictObject({
                  type: z.literal('RichTextBlock'),
                  inlines: z.array(TeamsRun).min(1),
                }),
              )
              .min(1),
            actions: z
              .array(
                z.strictObject({
                  type: z.literal('Action.OpenUrl'),
                  title: z.string().min(1),
                  url: Url,
                }),
              )
              .max(6),
          }),
        }),
      )
      .length(1),
  })
  .refine((message) => JSON.stringify(message).length <= 28_000, 'Teams refuses more than 28 KB.')

/** Marks of a mention, a link or a style, unless escaped. */
const isInert = (text: string): boolean => !/[*_~`|<>[\]()#@]/.test(text.replaceAll(/\\./g, ''))
const DiscordText = z.string().min(1).refine(isInert, 'Markup is not escaped.')
const Discord = z.strictObject({
  allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  embeds: z
    .array(
      z
        .strictObject({
          title: DiscordText.max(256),
          url: Url,
          description: z
            .string()
            .max(4_096)
            .refine(
              (text) => isInert(text.replace(/\n\n\[[A-Z][a-z ]+\]\(https?:\/\/[^\s()]+\)$/, '')),
              'Only the link at the end is markup.',
            ),
          color: z.int().min(0).max(0xffffff),
          timestamp: Instant,
          fields: z
            .array(
              z.strictObject({
                name: z.string().min(1).max(256),
                value: DiscordText.max(1_024),
                inline: z.boolean(),
              }),
            )
            .max(25),
        })
        .refine(
          ({ title, description, fields }) =>
            title.length +
              description.length +
              fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0) <=
            6_000,
          'Discord refuses embeds of more than 6,000 characters.',
        ),
    )
    .min(1)
    .max(10),
})

const incident = {
  routing_key: z.string().length(32),
  dedup_key: z.string().min(1).max(255),
}
const PagerDuty = z.discriminatedUnion('event_action', [
  z.strictObject({ ...incident, event_action: z.literal('resolve') }),
  z.strictObject({
    ...incident,
    event_action: z.literal('trigger'),
    payload: z.strictObject({
      summary: z.string().min(1).max(1_024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: Instant,
      component: z.string(),
      class: z.string(),
      custom_details: z.record(z.string(), z.string()),
    }),
    links: z.array(z.strictObject({ href: Url, text: z.string().min(1) })),
    client: z.string(),
    client_url: Url,
  }),
])

const Webhook = z.strictObject({
  type: z.enum(['alert.firing', 'alert.resolved', 'alert.test']),
  timestamp: Instant,
  data: z.strictObject({
    id: z.string(),
    rule: z.string(),
    signal: z.string(),
    scope: z.string(),
    value: z.number(),
    threshold: z.number(),
    window_minutes: z.int(),
    reason: z.string(),
    url: Url,
    console_url: Url,
    fired_at: Instant,
    resolved_at: Instant.nullable(),
  }),
})

const Chat = z.strictObject({ text: SlackText })

export const MESSAGE_FORMATS = {
  webhook: Webhook,
  chat: Chat,
  slack: Slack,
  teams: Teams,
  discord: Discord,
  pagerduty: PagerDuty,
} as const
