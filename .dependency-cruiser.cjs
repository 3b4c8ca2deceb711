// Import fence (specs/decisions): which folder may import which, each rule with its reason.
const TEST = '[.](test|test-d|spec)[.]tsx?$|/test/'
/** Files of the server that also run in browsers. */
const SHARED =
  '^server/.+([.](kinds|list)|[-/]inputs?)[.]ts$|^server/platform/list/|^server/configs/rules-in-words[.]ts$'
const rule = (name, comment, ...[from, to]) => ({ name, comment, severity: 'error', from, to })
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule(
      'no-cycles',
      'Modules in a cycle cannot be read or tested alone.',
      { pathNot: '/generated/' },
      { circular: true },
    ),
    rule(
      'core-is-pure',
      'The decision core imports only itself.',
      { path: '^packages/core/src', pathNot: `^packages/core/src/expression/|${TEST}` },
      { pathNot: '^packages/core/src' },
    ),
    rule(
      'core-works-without-the-evaluator',
      'Conditions are a port: a config without expression rules needs no CEL. A proof takes conditions apart.',
      { path: '^packages/core/src', pathNot: `^packages/core/src/(expression|prove)/|${TEST}` },
      { path: '^packages/core/src/expression/' },
    ),
    rule(
      'proofs-load-where-asked',
      'An agent decides without searching, for proofs or for changes that prevent an incident. What was learned is tested with proofs.',
      { path: '^packages/core/src/(?!(learn|prevent|prove)/)' },
      { path: '^packages/core/src/(prevent|prove)/' },
    ),
    rule(
      'learning-loads-where-asked',
      'An agent decides without counting what others did.',
      { path: '^packages/core/src', pathNot: '^packages/core/src/learn/' },
      { path: '^packages/core/src/learn/' },
    ),
    rule(
      'expressions-add-the-evaluator-only',
      'The subpath is as pure as core: it only adds CEL and its regular expressions.',
      { path: '^packages/core/src/expression/', pathNot: TEST },
      { pathNot: '^packages/core/src|node_modules/@bufbuild/(cel|re2)/' },
    ),
    rule(
      'wire-knows-only-core-types',
      'Wire schemas describe core types; they run no core code.',
      { path: '^packages/wire/src', pathNot: TEST },
      { path: '^packages/core', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'wire-is-portable',
      'Wire also runs in browsers: no Node modules.',
      { path: '^packages/wire/src', pathNot: TEST },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'portable-bundles-open-in-browsers',
      'The command and the page verify with the same code: no Node modules, no other part of the command.',
      { path: '^packages/cli/src/portable/', pathNot: TEST },
      { pathNot: '^packages/(core|wire)/src/|^packages/cli/src/portable/' },
    ),
    rule(
      'wink-bundles-open-in-browsers',
      'The command and the console parse them with the same code: no Node modules, no other part of the command except its errors.',
      { path: '^packages/cli/src/wink/', pathNot: TEST },
      {
        pathNot:
          '^packages/wire/src/|^packages/core/src/index[.]ts$|^packages/cli/src/(wink/|base/io[.]ts$)|node_modules/(fflate|zod)/',
      },
    ),
    rule(
      'adapters-use-the-runtime-door',
      'Third parties must be able to write adapters, so ours use public entry points only.',
      { path: '^packages/adapters/src/', pathNot: TEST },
      {
        path: '^packages/(core|wire|runtime|agent)/src/',
        pathNot: ['/src/index[.]ts$', '^packages/runtime/src/harness/index[.]ts$'],
      },
    ),
    rule(
      'adapters-do-not-know-each-other',
      'An adapter may import only the entry point of another: shared code belongs in the runtime.',
      { path: '^packages/adapters/src/([^/]+)/', pathNot: '^packages/adapters/src/test/' },
      {
        path: '^packages/adapters/src/[^/]+/',
        pathNot: ['^packages/adapters/src/($1|base|test)/', '/index[.]ts$'],
      },
    ),
    rule(
      'packages-use-public-entries',
      'A package is used through its entry points.',
      { path: '^packages/([^/]+)/' },
      {
        path: '^packages/([^/]+)/src/',
        pathNot: [
          '^packages/$1/',
          '/src/index[.]ts$',
          '^packages/(core|runtime|adapters)/src/[^/]+/index[.]ts$',
        ],
      },
    ),
    rule(
      'imports-within-by-path',
      'Within a package or a subject, imports are relative: a name or an alias means another one.',
      { path: '^(packages/[^/]+/src|server/[^/]+|components/[^/]+)/' },
      { path: '^$1/', dependencyTypes: ['aliased'] },
    ),
    rule(
      'imports-across-by-alias',
      'An import from another package, subject or top folder names it: @signalbox/… or @/…. Node runs .mjs files directly, so they cannot.',
      {
        path: '^(packages/[^/]+/src|server/[^/]+|components/[^/]+|app|scripts|bench|examples|e2e)/.+[.]tsx?$',
      },
      {
        path: '^(packages/[^/]+/src|server|app|components|scripts|bench|e2e|examples)/',
        pathNot: '^$1/',
        dependencyTypesNot: ['aliased'],
      },
    ),
    rule(
      'packages-do-not-know-the-app',
      'Libraries never import the control plane.',
      { path: '^packages/' },
      { path: '^(app|server|components|prisma|e2e)/' },
    ),
    rule(
      'only-sql-files-touch-the-database',
      'Prisma and pg stop at files named *.sql.ts and at the platform below them.',
      {
        path: '^(server|app|components)/',
        pathNot: [
          '[.]sql[.]ts$',
          '^server/platform/(db|sql)/',
          '^server/platform/auth/auth[.]ts$',
          TEST,
        ],
      },
      {
        path: '^server/platform/db/(client[.]ts$|generated/)|^prisma/|node_modules/(@prisma|pg)/',
      },
    ),
    rule(
      'subjects-know-no-transport',
      'A use case can be called from a job or a test; only routers and http/ know the caller.',
      {
        path: '^server/',
        pathNot: [
          '^server/(http|trpc)/',
          '^server/platform/trpc/',
          '(^|/|-)router[.]ts$',
          '-input[.]ts$',
          TEST,
        ],
      },
      { path: '^server/(http|trpc|platform/trpc)/|node_modules/(next|@trpc|react)/' },
    ),
    rule(
      'requests-bring-their-own-proof',
      'Only jobs, setup and gates turn a stored id into an authorized one; a request handler has a scope.',
      { path: '^server/(http|trpc)/|^server/platform/trpc/|(^|/|-)router[.]ts$', pathNot: TEST },
      { path: '^server/platform/auth/system[.]ts$' },
    ),
    rule(
      'platform-knows-no-subject',
      'Every subject uses the platform, so it imports none of them.',
      { path: '^server/platform/', pathNot: TEST },
      { path: '^server/', pathNot: '^server/platform/' },
    ),
    rule(
      'pages-enter-through-public-modules',
      'Pages and routes reach the server only through trpc/ or http/: one gate for auth.',
      { path: '^app/' },
      { path: '^server/', pathNot: '^server/(trpc|http|platform/trpc)/' },
    ),
    rule(
      'components-import-server-types-only',
      'A value import would pull the server into the browser bundle. Lists, kinds, and input schemas are pure, and both sides use them.',
      { path: '^components/', pathNot: TEST },
      { path: '^server/', pathNot: SHARED, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'shared-server-files-run-in-browsers',
      'Lists, kinds, and input schemas depend only on data.',
      { path: SHARED, pathNot: TEST },
      {
        pathNot: [SHARED, '^packages/(core|wire)/src/', '^node_modules/zod/'],
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'ui-is-domain-free',
      'components/ui could ship in another product.',
      { path: '^components/ui/' },
      { path: '^components/', pathNot: '^components/ui/' },
    ),
    rule(
      'links-fetch-nothing-ahead',
      'Each visible link would cost the server a rendering; components/ui/link.tsx prefetches nothing.',
      { path: '^(app|components)/', pathNot: '^components/ui/link[.]tsx$' },
      { path: '^node_modules/next/link[.]' },
    ),
    rule(
      'nobody-imports-app',
      'app/ is the top of the graph.',
      { pathNot: '^app/' },
      { path: '^app/' },
    ),
    rule(
      'e2e-is-black-box',
      "E2E tests use HTTP, HTML and the packages' public entry points.",
      { path: '^e2e/' },
      {
        path: '^(app|server|components)/|^packages/',
        pathNot: [
          '^packages/[^/]+/src/index[.]ts$',
          '^packages/[^/]+/src/[^/]+/index[.]ts$',
          '^server/platform/db/embedded[.]mjs$',
        ],
      },
    ),
    rule(
      'server-embeds-no-runtime',
      'The control plane uses core and wire; it is not an agent.',
      { path: '^server/', pathNot: TEST },
      { path: '^packages/(?!core/|wire/)' },
    ),
    rule(
      'testkit-only-in-tests',
      'Fakes never ship.',
      {
        path: '^(app|components|server|packages|examples)/',
        pathNot: [TEST, '^packages/testkit/'],
      },
      { path: '^packages/testkit/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Built from the sources, which are read.
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    detectJSDocImports: false,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'default'],
    },
  },
}
