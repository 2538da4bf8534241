# The options of bundle, as a listing: what its own definitions say.
#   ruby thor_options.rb
# One with a default of its own for "no value" may take the next word.
require 'bundler'
require 'bundler/cli'

def show(option)
  flag = option.type == :boolean
  takes = flag ? '' : option.lazy_default.nil? ? ' VALUE' : ' [VALUE]'
  names = [option.switch_name] + option.aliases.map { |n| n.start_with?('-') ? n : "-#{n}" }
  puts "  #{names.join(', ')}#{takes}"
  puts "  --no-#{option.switch_name[2..]}" if flag && !option.switch_name.start_with?('--no-')
end

[Bundler::CLI, *Bundler::CLI.subcommand_classes.values].each do |cli|
  cli.class_options.each_value { |o| show(o) }
  cli.all_commands.each_value { |c| c.options.each_value { |o| show(o) } }
end
