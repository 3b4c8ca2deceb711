// The list of templates, in the order of the chooser. A template is a folder with four files (specs/templates.md).
import browserAgentConfig from './browser-agent/config.json' with { type: 'json' }
import browserAgentSession from './browser-agent/session.json' with { type: 'json' }
import browserAgentAbout from './browser-agent/template.json' with { type: 'json' }
import ciFixerConfig from './ci-fixer/config.json' with { type: 'json' }
import ciFixerSession from './ci-fixer/session.json' with { type: 'json' }
import ciFixerAbout from './ci-fixer/template.json' with { type: 'json' }
import codingAgentConfig from './coding-agent/config.json' with { type: 'json' }
import codingAgentSession from './coding-agent/session.json' with { type: 'json' }
import codingAgentAbout from './coding-agent/template.json' with { type: 'json' }
import dataAnalysisConfig from './data-analysis/config.json' with { type: 'json' }
import dataAnalysisSession from './data-analysis/session.json' with { type: 'json' }
import dataAnalysisAbout from './data-analysis/template.json' with { type: 'json' }
import databaseMigrationConfig from './database-migration/config.json' with { type: 'json' }
import databaseMigrationSession from './database-migration/session.json' with { type: 'json' }
import databaseMigrationAbout from './database-migration/template.json' with { type: 'json' }
import emailAssistantConfig from './email-assistant/config.json' with { type: 'json' }
import emailAssistantSession from './email-assistant/session.json' with { type: 'json' }
import emailAssistantAbout from './email-assistant/template.json' with { type: 'json' }
import infrastructureConfig from './infrastructure/config.json' with { type: 'json' }
import infrastructureSession from './infrastructure/session.json' with { type: 'json' }
import infrastructureAbout from './infrastructure/template.json' with { type: 'json' }
import releaseBotConfig from './release-bot/config.json' with { type: 'json' }
import releaseBotSession from './release-bot/session.json' with { type: 'json' }
import releaseBotAbout from './release-bot/template.json' with { type: 'json' }
import researchWriterConfig from './research-writer/config.json' with { type: 'json' }
import researchWriterSession from './research-writer/session.json' with { type: 'json' }
import researchWriterAbout from './research-writer/template.json' with { type: 'json' }
import supportTriageConfig from './support-triage/config.json' with { type: 'json' }
import supportTriageSession from './support-triage/session.json' with { type: 'json' }
import supportTriageAbout from './support-triage/template.json' with { type: 'json' }
import { defineTemplate, type Template } from './template.ts'

export const TEMPLATES = {
  'coding-agent': defineTemplate(codingAgentConfig, codingAgentAbout, codingAgentSession),
  'release-bot': defineTemplate(releaseBotConfig, releaseBotAbout, releaseBotSession),
  'ci-fixer': defineTemplate(ciFixerConfig, ciFixerAbout, ciFixerSession),
  'support-triage': defineTemplate(supportTriageConfig, supportTriageAbout, supportTriageSession),
  'email-assistant': defineTemplate(
    emailAssistantConfig,
    emailAssistantAbout,
    emailAssistantSession,
  ),
  'browser-agent': defineTemplate(browserAgentConfig, browserAgentAbout, browserAgentSession),
  'research-writer': defineTemplate(
    researchWriterConfig,
    researchWriterAbout,
    researchWriterSession,
  ),
  'data-analysis': defineTemplate(dataAnalysisConfig, dataAnalysisAbout, dataAnalysisSession),
  'database-migration': defineTemplate(
    databaseMigrationConfig,
    databaseMigrationAbout,
    databaseMigrationSession,
  ),
  infrastructure: defineTemplate(infrastructureConfig, infrastructureAbout, infrastructureSession),
} as const satisfies Readonly<Record<string, Template>>
