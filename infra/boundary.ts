import { deployment } from './stage.ts'

const { permissionsBoundary } = deployment

// Roles that SST makes by itself have it too, such as those of schedules: an account may refuse a role without one.
if (permissionsBoundary)
  $transform(aws.iam.Role, (args) => {
    args.permissionsBoundary = permissionsBoundary
  })
